#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vitrain::results {

// Returns a field of a comma-separated table (RFC 4180), quoted if it has
// commas, quotes, line ends, or spaces at an end, which some programs remove.
std::string csv_field(std::string_view text);

// Returns a line of such a table.
std::string csv_line(std::span<const std::string> fields);

} // namespace vitrain::results
