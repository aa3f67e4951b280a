#pragma once

#include <string>
#include <string_view>

#include "core/json.h"

namespace vitrain::report {

// Escaping. Every text from outside (class names, paths, texts of a recipe)
// must pass through one of these functions on its way into a page.

// For text between tags or in a quoted attribute: returns valid UTF-8 with & <
// > " ' escaped, with *** in place of user names and passwords in URLs, and a
// blank for NUL.
std::string html(std::string_view text);

// For a <script type="application/json">: returns JSON that cannot end the
// element or begin a comment.
std::string script_json(const Json& value);

} // namespace vitrain::report
