#pragma once

#include <string>

#include "core/text/json.h"
#include "report/page/page.h"

namespace vitrain::report {

// A whole page around `body` (markup): title and data are escaped here.
std::string document(
    const std::string& title,
    const std::string& body,
    const Json& data,
    const PageOptions& options);

// <section> with a heading; "" without content.
std::string section(const std::string& heading, const std::string& content);

} // namespace vitrain::report
