#pragma once

#include <map>
#include <string>
#include <vector>

#include "weights/archive.h"

// timm's CoaT, and its authors', have layers in several places of a network,
// and files of theirs the same tensors under the names of all. Here they have
// the first: cpe1, crpe1, ..., and mlp2 of a parallel block.
namespace vitrain::weights {

// Takes the other names out of an archive.
void drop_coat_repeats(Archive& archive);

// The other names of a CoaT's tensors, each with the first; none for other
// networks.
std::map<std::string, std::string> coat_repeats(
    const std::vector<std::string>& names);

} // namespace vitrain::weights
