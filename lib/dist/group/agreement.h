#pragma once

#include <map>
#include <string>

#include "dist/group/group.h"

namespace vitrain::dist {

// Throws Error(kUsage) on every rank unless all ranks have the same values for
// all facts. The message names the differing facts (at most 20) with their
// values and ranks; a fact that a rank does not have counts as differing.
// `facts`: description -> value. Collective: two small collectives if all
// agree.
void check_agreement(
    Group& control,
    const std::map<std::string, std::string>& facts);

} // namespace vitrain::dist
