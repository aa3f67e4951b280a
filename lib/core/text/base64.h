#pragma once

#include <string>
#include <string_view>

namespace vitrain {

// Bytes as base64 (RFC 4648, with padding), appended to `out`.
void append_base64(std::string& out, std::string_view bytes);

} // namespace vitrain
