#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vitrain::results {

// Returns a field of a comma-separated table (RFC 4180). Quotes it if it
// contains commas, quotes or line ends, or begins or ends with spaces, which
// some programs remove.
std::string csv_field(std::string_view text);

// Returns a line of a comma-separated table, with "\n" at its end.
std::string csv_line(std::span<const std::string> fields);

} // namespace vitrain::results
