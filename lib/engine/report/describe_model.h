#pragma once

#include <string>

#include "engine/report/describe.h"

namespace vitrain::engine {

// Returns the banner's line about the network, including the numbers that the
// recipe has changed: "vit_tiny_patch16_224, 32 px, depth 6, 0.8 M parameters,
// 10 classes".
std::string describe_model(const RunFacts& facts);

} // namespace vitrain::engine
