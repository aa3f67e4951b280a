#pragma once

#include <string>
#include <string_view>

namespace vitrain {

// Appends bytes to `out` in base64 (RFC 4648, with padding).
void append_base64(std::string& out, std::string_view bytes);

} // namespace vitrain
