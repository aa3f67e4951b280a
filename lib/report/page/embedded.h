#pragma once

#include <string_view>

namespace vitrain::report {

// Return files embedded in the executable (CMakeLists.txt of this folder): the
// plotting library dygraphs, this folder's report.js and report.css, and
// NOTICE.
std::string_view dygraphs_script();
std::string_view dygraphs_style();
std::string_view page_script();
std::string_view page_style();
std::string_view notices();

} // namespace vitrain::report
