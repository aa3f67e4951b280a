#pragma once

#include <string>

#include "config/schema/schema.h"

namespace vitrain::config {

// What to say after "unknown key": " Did you mean optim.lr?", or the keys that
// the section has, with the punctuation that leads there.
std::string suggestion(const Schema& schema, const std::string& path);

// The last name of a path, and the path without it: "c" and "a.b" of "a.b.c".
std::string leaf_of(const std::string& path);
std::string parent_of(const std::string& path);

} // namespace vitrain::config
