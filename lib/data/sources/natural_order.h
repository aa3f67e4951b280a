#pragma once

#include <string_view>

namespace vitrain::data {

// Whether `a` comes before `b` in the order of timm's natural_key(): texts are
// cut at runs of digits and compared piece by piece, the digits (ASCII) by
// their value, the rest in lower case by code points. Names that are equal by
// that are in byte order. Bytes that are no UTF-8 count as Python's
// surrogateescape reads them.
bool natural_less(std::string_view a, std::string_view b);

// Takes a code point off a text that is not empty. A byte that is no UTF-8 is
// U+DC00 and its value.
char32_t take_code_point(std::string_view& text);

} // namespace vitrain::data
