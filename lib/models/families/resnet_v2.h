#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes and options of a residual network with norms before convolutions (He et
// al., "Identity mappings in deep residual networks", ECCV 2016).
struct ResNetV2Spec {
  enum class Stem {
    kPlain, // one 7x7 convolution
    kDeep, // three 3x3 convolutions, the first two of half the width
    kTiered, // three 3x3 convolutions, of 3/8, 1/2 and the full width
  };
  std::array<std::int64_t, 4> blocks{}; // number per stage
  // Output channels of each stage.
  std::array<std::int64_t, 4> widths{256, 512, 1024, 2048};
  std::int64_t stem_width = 64; // output channels of the stem
  bool bottleneck = true; // blocks of three convolutions instead of two
  Stem stem = Stem::kPlain;
  // Skip projections: average pooling instead of a stride.
  bool average_down = false;
  std::int64_t norm_groups = 0; // groups of GroupNorm; 0: BatchNorm
  // Standardised convolutions (Qiao et al., "Weight standardization", 2019),
  // and zeros as the padding of the stem's pooling.
  bool standardized = false;
};

namespace resnet_v2 {

using Blocks = std::array<std::int64_t, 4>;
using Stem = ResNetV2Spec::Stem;

inline constexpr Blocks k18{2, 2, 2, 2};
inline constexpr Blocks k50{3, 4, 6, 3};
inline constexpr Blocks k101{3, 4, 23, 3};
inline constexpr Blocks k152{3, 8, 36, 3};

constexpr ResNetV2Spec
net(const Blocks& blocks, Stem stem = Stem::kPlain, std::int64_t groups = 0) {
  return {
      .blocks = blocks,
      .stem = stem,
      .average_down = stem != Stem::kPlain,
      .norm_groups = groups};
}

constexpr ResNetV2Spec basic(const Blocks& blocks, Stem stem = Stem::kPlain) {
  ResNetV2Spec spec = net(blocks, stem);
  spec.widths = {64, 128, 256, 512};
  spec.bottleneck = false;
  return spec;
}

// BiT (Kolesnikov et al., ECCV 2020).
constexpr ResNetV2Spec bit(const Blocks& blocks, std::int64_t factor) {
  ResNetV2Spec spec = net(blocks, Stem::kPlain, /*groups=*/32);
  for (std::int64_t& width : spec.widths) {
    width *= factor;
  }
  spec.stem_width *= factor;
  spec.standardized = true;
  return spec;
}

// Networks of timm 1.0 (timm/models/resnetv2.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<ResNetV2Spec>>({
    {"resnetv2_50x1_bit", 224, 3, bit(k50, 1)},
    {"resnetv2_50x3_bit", 448, 3, bit(k50, 3)},
    {"resnetv2_101x1_bit", 448, 3, bit(k101, 1)},
    {"resnetv2_101x3_bit", 448, 3, bit(k101, 3)},
    {"resnetv2_152x2_bit", 224, 3, bit(k152, 2)},
    {"resnetv2_152x4_bit", 480, 3, bit(k152, 4)},
    {"resnetv2_18", 224, 3, basic(k18)},
    {"resnetv2_18d", 224, 3, basic(k18, Stem::kDeep)},
    {"resnetv2_34", 224, 3, basic(k50)},
    {"resnetv2_34d", 224, 3, basic(k50, Stem::kDeep)},
    {"resnetv2_50", 224, 3, net(k50)},
    {"resnetv2_50d", 224, 3, net(k50, Stem::kDeep)},
    {"resnetv2_50t", 224, 3, net(k50, Stem::kTiered)},
    {"resnetv2_101", 224, 3, net(k101)},
    {"resnetv2_101d", 224, 3, net(k101, Stem::kDeep)},
    {"resnetv2_152", 224, 3, net(k152)},
    {"resnetv2_152d", 224, 3, net(k152, Stem::kDeep)},
    {"resnetv2_50d_gn", 224, 3, net(k50, Stem::kDeep, /*groups=*/32)},
});

} // namespace resnet_v2

// ResNet V2, BiT. Images and weights are in channels_last.
inline const Family kResNetV2{
    .name = "resnetv2",
    .list = names_in<resnet_v2::kNetworks>,
    .find = find_in<resnet_v2::kNetworks>,
    .options = drop_path_option,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<ResNetV2Spec>();
          return fmt::format(
              "widths {}, depths {}{}{}",
              fmt::join(net.widths, "-"),
              fmt::join(net.blocks, "-"),
              net.norm_groups == 0 ? "" : ", GroupNorm",
              net.standardized ? ", standardised weights" : "");
        },
    .identity = channels_identity,
    .classifier = {"head.fc."},
    .layers = layers_in_blocks("stem", kNumberedStageBlocks, "norm"),
    .any_image_size = true,
    .has_conv_classifier = true,
    .channels_last = true};

} // namespace vitrain::models
