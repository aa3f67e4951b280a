#pragma once

#include <string>

#include "core/json.h"
#include "report/page/page.h"

namespace vitrain::report {

// Returns a whole page around `body`, which is markup. `data`: chart_data().
// Escapes the title and the data.
std::string document(
    const std::string& title,
    const std::string& body,
    const Json& data,
    const PageOptions& options);

// Returns a <section> with a heading, which it escapes, and `content`, which is
// markup; "" if `content` is empty.
std::string section(const std::string& heading, const std::string& content);

} // namespace vitrain::report
