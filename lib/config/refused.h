#pragma once

#include <string_view>

namespace vitrain::config {

// Why a key, or an option, that other programs have is not offered here, and
// what to write instead; empty for every other name. `name` is a key's path or
// an option without dashes.
std::string_view refusal_of(std::string_view name);

} // namespace vitrain::config
