#pragma once

#include <string>

#include "config/schema/field.h"

namespace vitrain::config {

// Returns true if a text can be written to files and terminals unchanged: UTF-8
// without control characters.
bool clean(const std::string& text);

// Returns the reason why a field refuses a text that contains a URL with user
// information, which the run's records would expose, or, if the field takes a
// URL (Field::form begins with http://), any `@`; "" for other texts. The
// reason does not repeat the text.
std::string refuse_user_info(const Field& field, const std::string& text);

} // namespace vitrain::config
