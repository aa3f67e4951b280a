#pragma once

#include <map>
#include <string>

#include "dist/group/group.h"

namespace vitrain::dist {

// Throws Error(kUsage) on every rank unless all have the same facts, naming
// what differs with the values and the ranks that have them. `facts`: what has
// to agree, in words, and its value. Collective: two small collectives when all
// agree.
void check_agreement(
    Group& control,
    const std::map<std::string, std::string>& facts);

} // namespace vitrain::dist
