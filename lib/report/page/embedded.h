#pragma once

#include <string_view>

namespace vitrain::report {

// Files embedded in the executable (lib/report/CMakeLists.txt): the plotting
// library, this folder's script and style, and NOTICE.
std::string_view dygraphs_script();
std::string_view dygraphs_style();
std::string_view page_script();
std::string_view page_style();
std::string_view notices();

} // namespace vitrain::report
