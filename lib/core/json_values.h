#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json.h"

namespace vitrain {

// Return the value of a key; nullopt if the record has no such key or is not an
// object, or if the value is not a number (json_number()) or not an integer
// (json_integer(), where integers above 2^63 - 1 wrap to negative ones).
std::optional<double> json_number(const Json& record, std::string_view key);
std::optional<std::int64_t> json_integer(
    const Json& record,
    std::string_view key);
// Returns the string at a key; "" if there is none or the value is not a
// string.
std::string json_text(const Json& record, std::string_view key);

} // namespace vitrain
