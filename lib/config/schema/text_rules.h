#pragma once

#include <string>

#include "config/schema/field.h"

namespace vitrain::config {

// Whether a text can be written to a file and to a terminal as it is: UTF-8
// without control characters.
bool clean(const std::string& text);

// Returns why the field refuses a text that has, or seems to have, the user
// information of a URL, which records of the run would show; "" for other
// texts. The reason does not repeat the text.
std::string refuse_user_info(const Field& field, const std::string& text);

} // namespace vitrain::config
