#pragma once

#include <string>

#include "config/schema/schema.h"

namespace vitrain::config {

// Returns the end of a message about an unknown key, with leading punctuation:
// " Did you mean optim.lr?", or the keys of the section.
// `known_word`: key of the word in another program, or "".
std::string suggestion(
    const Schema& schema,
    const std::string& path,
    const std::string& known_word = "");

// Return the last name of a path, and the path without it: "c" and "a.b" for
// "a.b.c".
std::string leaf_of(const std::string& path);
std::string parent_of(const std::string& path);

} // namespace vitrain::config
