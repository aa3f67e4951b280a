#pragma once

#include <string_view>

namespace vitrain::data {

// Returns true if `a` precedes `b` in the order of timm's natural_key(): texts
// are split at runs of digits and compared piece by piece, (ASCII) digits by
// their value, other text in lower case by code points. Ties are in byte order.
// Invalid UTF-8 is read as by Python's surrogateescape.
bool natural_less(std::string_view a, std::string_view b);

// Removes the first code point from a text, which must not be empty, and
// returns it. A byte that is invalid UTF-8 becomes U+DC00 plus its value.
char32_t take_code_point(std::string_view& text);

} // namespace vitrain::data
