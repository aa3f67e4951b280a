#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/json.h"

// Values of a record by key: nullopt if the record has no such key, is no
// object, or the value has another type.
namespace vitrain {

std::optional<double> json_number(const Json& record, std::string_view key);
std::optional<std::int64_t> json_integer(
    const Json& record,
    std::string_view key);
// "" for nothing.
std::string json_text(const Json& record, std::string_view key);

} // namespace vitrain
