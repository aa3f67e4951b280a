#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a PoolFormer, by stage.
struct PoolFormerSpec {
  std::array<std::int64_t, 4> depths{};
  std::array<std::int64_t, 4> widths{};
  double layer_scale = 0.0; // version 1: initial LayerScale gamma
  // Version 2 (Yu et al., "MetaFormer baselines for vision", TPAMI 2024):
  // StarReLU, no biases, norms before convolutions, and, in the last two
  // stages, learned scales of the residual connections instead of the branches.
  bool v2 = false;
};

namespace poolformer {

using Stages = std::array<std::int64_t, 4>;

inline constexpr Stages kSmall{64, 128, 320, 512};
inline constexpr Stages kMedium{96, 192, 384, 768};
inline constexpr Stages kDepth12{2, 2, 6, 2};
inline constexpr Stages kDepth24{4, 4, 12, 4};
inline constexpr Stages kDepth36{6, 6, 18, 6};
inline constexpr Stages kDepth48{8, 8, 24, 8};

// Smallest side that makes a token: the stem has a kernel of 7 and padding of 2
// on both sides.
inline constexpr std::int64_t kLeastSide = 3;

// Networks of timm 1.0 (timm/models/metaformer.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<PoolFormerSpec>>({
    {"poolformer_s12", 224, 3, {kDepth12, kSmall, 1e-5}},
    {"poolformer_s24", 224, 3, {kDepth24, kSmall, 1e-5}},
    {"poolformer_s36", 224, 3, {kDepth36, kSmall, 1e-6}},
    {"poolformer_m36", 224, 3, {kDepth36, kMedium, 1e-6}},
    {"poolformer_m48", 224, 3, {kDepth48, kMedium, 1e-6}},
    {"poolformerv2_s12", 224, 3, {kDepth12, kSmall, 0.0, true}},
    {"poolformerv2_s24", 224, 3, {kDepth24, kSmall, 0.0, true}},
    {"poolformerv2_s36", 224, 3, {kDepth36, kSmall, 0.0, true}},
    {"poolformerv2_m36", 224, 3, {kDepth36, kMedium, 0.0, true}},
    {"poolformerv2_m48", 224, 3, {kDepth48, kMedium, 0.0, true}},
});

} // namespace poolformer

// PoolFormer (Yu et al., "MetaFormer is actually what you need for vision",
// CVPR 2022): a transformer with average pooling in place of attention.
inline const Family kPoolFormer{
    .name = "poolformer",
    .list = names_in<poolformer::kNetworks>,
    .find = find_in<poolformer::kNetworks>,
    .options = drop_path_option,
    .check = check_least<poolformer::kLeastSide>,
    .describe = describe_stages<PoolFormerSpec>,
    .identity = channels_identity,
    .classifier = {"head.fc."},
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
