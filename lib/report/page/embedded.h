#pragma once

#include <string_view>

namespace vitrain::report {

// Files that are part of the executable (lib/report/CMakeLists.txt says which):
// the plotting library, this folder's own script and style, and NOTICE.
std::string_view dygraphs_script();
std::string_view dygraphs_style();
std::string_view page_script();
std::string_view page_style();
std::string_view notices();

} // namespace vitrain::report
