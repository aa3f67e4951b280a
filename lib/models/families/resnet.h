#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Numbers of a residual network (He et al., "Deep residual learning", CVPR
// 2016), with the stride in the 3x3 convolution.
struct ResNetSpec {
  std::array<std::int64_t, 4> blocks{}; // per stage
  bool bottleneck = false; // blocks of three convolutions
};

// Residual networks with a 7x7 stem, BatchNorm, and the stride of a bottleneck
// in its 3x3 convolution: timm's and torchvision's resnet18 to resnet152. The
// last BatchNorm of each block starts at zero. Works in channels_last, weights
// included.
extern const Family kResNet;

} // namespace vitrain::models
