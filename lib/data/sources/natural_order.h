#pragma once

#include <string_view>

namespace vitrain::data {

// Whether `a` comes before `b` in the order of timm's natural_key(): texts are
// cut at runs of digits and compared piece by piece, the digits (ASCII) by
// their value, the rest in lower case by code points. Names that are equal by
// that are in byte order. Bytes that are no UTF-8 count as Python's
// surrogateescape reads them.
bool natural_less(std::string_view a, std::string_view b);

} // namespace vitrain::data
