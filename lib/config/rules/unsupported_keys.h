#pragma once

#include <string_view>

namespace vitrain::config {

// Whether a key, or a value of a key, belongs to the schema but not to this
// version: it is refused by name instead of as unknown.
bool is_later_key(std::string_view path);
bool is_later_value(std::string_view path, std::string_view value);

// Message for these keys.
inline constexpr std::string_view kLater =
    "known, but not available in this version";

// Why a key, or an option, that other programs have is not offered here, and
// what to write instead; empty for every other name. `name` is a key's path or
// an option without dashes.
std::string_view refusal_of(std::string_view name);

} // namespace vitrain::config
