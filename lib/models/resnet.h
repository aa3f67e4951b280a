#pragma once

#include <cstdint>
#include <memory>

#include "models/model.h"

namespace vitrain::models {

// A residual network with a 7x7 stem, BatchNorm, and the stride of a bottleneck
// in its 3x3 convolution: timm's and torchvision's resnet18, resnet50. The last
// BatchNorm of each block starts at zero. Works in channels_last, weights
// included. Requires a resolved spec of the family kResNet.
std::shared_ptr<Model> make_resnet(const ModelSpec& spec, std::uint64_t seed);

} // namespace vitrain::models
