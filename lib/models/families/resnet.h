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
  // Main convolution of a block: the 3x3 convolution of a bottleneck, the first
  // one of other blocks.
  enum class Main {
    kSingle,
    // Selective kernels: a sum of two convolutions of dilation 1 and 2, whose
    // weights depend on the image (Li et al., CVPR 2019).
    kSelective,
    // Split attention: a sum of `parts` grouped convolutions, whose weights
    // depend on the image (Zhang et al., "ResNeSt", 2020).
    kSplit,
    // A chain of convolutions of `parts` parts of the channels (Gao et al.,
    // "Res2Net", TPAMI 2021).
    kScales,
  };
  // Channel attention at the end of a block.
  enum class Gate {
    kNone,
    kSqueeze, // squeeze-excitation (Hu et al., CVPR 2018)
    kEca, // (Wang et al., "ECA-Net", CVPR 2020)
  };
  // Filter before subsampling by main convolutions and the stem's pooling.
  enum class Smoothing {
    kNone,
    kAverage, // mean of 2x2 pixels
    kBlur, // binomial 3x3 filter (Zhang, ICML 2019)
  };
  std::array<std::int64_t, 4> blocks{}; // number of blocks per stage
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
  Main main = Main::kSingle;
  // kSelective: 2 if each convolution has half of the input channels, else 1;
  // kSplit and kScales: number of parts; kSingle: unused.
  std::int64_t parts = 1;
  // kSplit: average pooling with the stride before the main convolution instead
  // of after it.
  bool average_first = false;
  Gate gate = Gate::kNone;
  // kSqueeze and kSelective: reduced channels / channels, and the number of
  // which reduced channels are a multiple.
  double squeeze = 1.0 / 16.0;
  std::int64_t squeeze_multiple = 8;
  Smoothing smoothing = Smoothing::kNone;
  // The stem ends with a convolution of stride 2 instead of max pooling.
  bool pool_by_conv = false;
  // Half as many channels between a bottleneck's first two convolutions.
  bool halve_first = false;
  // Side of the kernel of skip projections with a stride.
  std::int64_t down_kernel = 1;
  std::int64_t norm_groups = 0; // groups of GroupNorm; 0: BatchNorm

  // Returns the output channels of a stage; hidden(): the hidden channels of
  // its blocks, in kScales those of a part.
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

// ResNets with attention to channels, smoothing, other main convolutions, stems
// or norms.
extern const Family kResNetPlus;

} // namespace vitrain::models
