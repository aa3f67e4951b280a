#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes and options of a residual network (He et al., "Deep residual learning",
// CVPR 2016) with the stride of a bottleneck in its 3x3 convolution.
struct ResNetSpec {
  enum class Stem {
    kPlain, // one 7x7 convolution
    kDeep, // three 3x3 convolutions, the first two of half the width
    kTiered, // three 3x3 convolutions, of 3/8, 1/2 and the full width
  };
  std::array<std::int64_t, 4> blocks{}; // per stage
  bool bottleneck = false; // blocks of three convolutions instead of two
  Stem stem = Stem::kPlain;
  // Skip projections: average pooling instead of a stride.
  bool average_down = false;
  // Groups of a bottleneck's 3x3 convolution (Xie et al., CVPR 2017), and the
  // width of a group in a stage of width 64.
  std::int64_t groups = 1;
  std::int64_t group_width = 64;
  std::int64_t stem_width = 64; // output channels of the stem
  std::array<std::int64_t, 4> widths{64, 128, 256, 512};

  // Returns the output channels of a stage; hidden(): the hidden channels of
  // its blocks.
  std::int64_t out(std::size_t stage) const {
    return bottleneck ? 4 * widths[stage] : widths[stage];
  }
  std::int64_t hidden(std::size_t stage) const {
    return bottleneck ? widths[stage] * group_width / 64 * groups
                      : widths[stage];
  }
  // Returns the channels of the first two convolutions of a deep stem.
  std::array<std::int64_t, 2> stem_hidden() const {
    const std::int64_t half = stem_width / 2;
    return {stem == Stem::kTiered ? half / 4 * 3 : half, half};
  }
};

// Residual networks with BatchNorm and the stride of a bottleneck in its 3x3
// convolution: timm's resnet18 to resnet200 (equal to torchvision's where those
// exist), with other stems ("c", "d", "s", "t": He et al., "Bag of tricks",
// CVPR 2019), wide ones, and ResNeXt. The initial weights of each block's last
// BatchNorm are zero. Images and weights are in channels_last.
extern const Family kResNet;

} // namespace vitrain::models
