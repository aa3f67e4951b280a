#pragma once

#include <string_view>

#include "config/paddlevit/paddlevit_schema.h"

namespace vitrain::config::paddlevit {

// Why a key has no effect beside the others of this config; empty: it has.
std::string_view idle_beside_others(const Config& config, std::string_view key);

} // namespace vitrain::config::paddlevit
