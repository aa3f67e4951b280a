#pragma once

#include <string>
#include <vector>

#include "weights/match.h"

namespace vitrain::engine {

// Returns the names of `vitrain models` whose networks have exactly these
// tensors (timm's names), ignoring the classifier and resized position tables.
// For advice if weights do not fit the recipe's network. Builds each network
// without memory; stops searching after 10 seconds.
std::vector<std::string> similar_networks(const weights::Layouts& given);

// Returns "SOURCE: these look like weights of resnet18: set
// model.name=resnet18", or names several networks; "" if none fits, or if `own`
// is one of them.
std::string similar_networks_text(
    const weights::Layouts& given,
    const std::string& own,
    const std::string& source);

} // namespace vitrain::engine
