#pragma once

#include <string_view>

namespace vitrain::config {

// Returns true for a key that is reserved for a later version: it is refused by
// name, not as unknown.
bool is_later_key(std::string_view path);

// Message for keys of is_later_key().
inline constexpr std::string_view kLater =
    "known, but not available in this version";

// Returns why a key or option of other programs does not exist in vitrain, and
// what to write instead; "" for other names. `name`: a key's path, whose
// section is ignored, or an option without dashes.
std::string_view refusal_of(std::string_view name);

} // namespace vitrain::config
