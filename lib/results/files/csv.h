#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vitrain::results {

// A field of a table between commas (RFC 4180): in quotes where it has commas,
// quotes or line ends, or blanks at an end, which some programs cut off.
std::string csv_field(std::string_view text);

// Fields as a line of such a table.
std::string csv_line(std::span<const std::string> fields);

} // namespace vitrain::results
