#pragma once

#include <string_view>

#include "config/paddlevit/paddlevit_schema.h"

namespace vitrain::config::paddlevit {

// Returns why a key has no effect in this config; "" if it has one.
std::string_view idle_beside_others(const Config& config, std::string_view key);

} // namespace vitrain::config::paddlevit
