#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Numbers of a residual network (He et al., "Deep residual learning", CVPR
// 2016), with the stride in the 3x3 convolution.
struct ResNetSpec {
  enum class Stem {
    kPlain, // one convolution 7x7
    kDeep, // three 3x3, the first two of half the width
    kTiered, // three 3x3, the first of three eighths, the second of half
  };
  std::array<std::int64_t, 4> blocks{}; // per stage
  bool bottleneck = false; // blocks of three convolutions
  Stem stem = Stem::kPlain;
  bool average_down = false; // pooling in place of the projections' stride
  // Groups of a bottleneck's 3x3 convolution (Xie et al., CVPR 2017), and the
  // width of a group in a stage of width 64.
  std::int64_t groups = 1;
  std::int64_t group_width = 64;
  std::int64_t stem_width = 64; // output channels
  std::array<std::int64_t, 4> widths{64, 128, 256, 512};

  // Output channels of a stage, and hidden channels of its blocks.
  std::int64_t out(std::size_t stage) const {
    return bottleneck ? 4 * widths[stage] : widths[stage];
  }
  std::int64_t hidden(std::size_t stage) const {
    return bottleneck ? widths[stage] * group_width / 64 * groups
                      : widths[stage];
  }
  // Channels of a deep stem's first two convolutions.
  std::array<std::int64_t, 2> stem_hidden() const {
    const std::int64_t half = stem_width / 2;
    return {stem == Stem::kTiered ? half / 4 * 3 : half, half};
  }
};

// Residual networks with BatchNorm, and the stride of a bottleneck in its 3x3
// convolution: timm's resnet18 to resnet200, of which torchvision has the same,
// those with other stems ("c", "d", "s", "t": He et al., "Bag of tricks", CVPR
// 2019), wide ones and ResNeXt. The last BatchNorm of each block starts at
// zero. Works in channels_last, weights included.
extern const Family kResNet;

} // namespace vitrain::models
