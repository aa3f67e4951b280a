#pragma once

#include <string>

#include "config/schema/schema.h"

namespace vitrain::config {

// Returns the end of a message about the unknown key `path`, with leading
// punctuation: ". Did you mean optim.lr?", or, if no key is similar, the keys
// of the nearest section above `path`, "; optim has: name, lr, ...", or the
// sections: "; the sections are: ...". `known_word`: key that the last name of
// `path` sets as a word of another program, or ""; it is suggested unless
// exactly one key has that last name.
std::string suggestion(
    const Schema& schema,
    const std::string& path,
    const std::string& known_word = "");

// Return the last name of a path, and the path without it: "c" and "a.b" for
// "a.b.c", "a" and "" for "a".
std::string leaf_of(const std::string& path);
std::string parent_of(const std::string& path);

} // namespace vitrain::config
