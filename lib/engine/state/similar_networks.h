#pragma once

#include <string>
#include <vector>

#include "weights/match.h"

namespace vitrain::engine {

// Returns the names of the image classifiers of `vitrain models` whose tensors
// have the names (timm's) and shapes `given`, ignoring classifier and batch
// counters; if there are none, of those that differ only in the size of
// position tables. For advice if weights do not fit the recipe's network.
// Builds each network without memory; stops searching after 10 seconds.
std::vector<std::string> similar_networks(const weights::Layouts& given);

// Returns "SOURCE: these look like weights of resnet18: set
// model.name=resnet18", or names several networks; "" if none fits, or if
// `own`, the name of the recipe's network, is one of them.
std::string similar_networks_text(
    const weights::Layouts& given,
    const std::string& own,
    const std::string& source);

} // namespace vitrain::engine
