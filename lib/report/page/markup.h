#pragma once

#include <string>
#include <string_view>

#include "core/text/json.h"

namespace vitrain::report {

// Whatever bytes come from outside (names of classes, paths, a recipe's texts)
// go into a page through one of these.

// Text between tags or in a quoted attribute: valid UTF-8, & < > " ' escaped.
std::string html(std::string_view text);

// JSON for a <script type="application/json">: nothing in it can end that
// element or begin a comment.
std::string script_json(const Json& value);

// Quotes a word for a POSIX shell if it has other characters than letters,
// digits and _./:=,@%+-.
std::string shell_word(std::string_view text);

} // namespace vitrain::report
