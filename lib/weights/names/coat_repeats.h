#pragma once

#include <map>
#include <string>
#include <vector>

#include "weights/archive.h"

// In timm's CoaT, and in its authors', some layers are registered at several
// places of the network, and files contain their tensors under every name. The
// networks here have only the first name: cpe1, crpe1, ..., and mlp2 of a
// parallel block.
namespace vitrain::weights {

// Removes the tensors of a CoaT that repeat others under further names; leaves
// other archives unchanged.
void drop_coat_repeats(Archive& archive);

// Returns the other names of a CoaT's tensors, mapped to their first names;
// empty for other networks. `names`: all names of the network's tensors.
std::map<std::string, std::string> coat_repeats(
    const std::vector<std::string>& names);

} // namespace vitrain::weights
