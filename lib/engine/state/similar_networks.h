#pragma once

#include <string>
#include <vector>

#include "weights/match.h"

namespace vitrain::engine {

// Returns the names of `vitrain models` whose networks have exactly these
// tensors (timm's names), classifier and resized positions aside: of weights
// that do not fit the recipe's network. Makes each network without memory,
// which takes seconds in all; stops after some. Makes no torch call otherwise.
std::vector<std::string> similar_networks(const weights::Layouts& given);

// Returns "SOURCE: these look like weights of resnet18: set
// model.name=resnet18", or of one of several networks; "" if none is known, or
// if `own` is one of them.
std::string similar_networks_text(
    const weights::Layouts& given,
    const std::string& own,
    const std::string& source);

} // namespace vitrain::engine
