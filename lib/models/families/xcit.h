#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of an XCiT.
struct XcitSpec {
  std::int64_t embed_dim = 0;
  std::int64_t depth = 0; // number of blocks that process patches only
  std::int64_t heads = 0;
  double layer_scale = 1.0; // initial LayerScale gamma
  // Class attention blocks normalise the patch tokens, too.
  bool tokens_norm = true;
  std::int64_t patch_size = 16; // a power of 2, at least 4
  std::int64_t class_depth = 2; // number of class attention blocks
};

namespace xcit {

inline constexpr XcitSpec kNano12{128, 12, 4, 1.0, /*tokens_norm=*/false};
inline constexpr XcitSpec kTiny12{192, 12, 4};
inline constexpr XcitSpec kSmall12{384, 12, 8};
inline constexpr XcitSpec kTiny24{192, 24, 4, 1e-5};
inline constexpr XcitSpec kSmall24{384, 24, 8, 1e-5};
inline constexpr XcitSpec kMedium24{512, 24, 8, 1e-5};
inline constexpr XcitSpec kLarge24{768, 24, 16, 1e-5};

constexpr XcitSpec at(XcitSpec net, std::int64_t patch_size) {
  net.patch_size = patch_size;
  return net;
}

// Networks of timm 1.0 (timm/models/xcit.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<XcitSpec>>({
    {"xcit_nano_12_p16_224", 224, 3, at(kNano12, 16)},
    {"xcit_nano_12_p16_384", 384, 3, at(kNano12, 16)},
    {"xcit_tiny_12_p16_224", 224, 3, at(kTiny12, 16)},
    {"xcit_tiny_12_p16_384", 384, 3, at(kTiny12, 16)},
    {"xcit_small_12_p16_224", 224, 3, at(kSmall12, 16)},
    {"xcit_small_12_p16_384", 384, 3, at(kSmall12, 16)},
    {"xcit_tiny_24_p16_224", 224, 3, at(kTiny24, 16)},
    {"xcit_tiny_24_p16_384", 384, 3, at(kTiny24, 16)},
    {"xcit_small_24_p16_224", 224, 3, at(kSmall24, 16)},
    {"xcit_small_24_p16_384", 384, 3, at(kSmall24, 16)},
    {"xcit_medium_24_p16_224", 224, 3, at(kMedium24, 16)},
    {"xcit_medium_24_p16_384", 384, 3, at(kMedium24, 16)},
    {"xcit_large_24_p16_224", 224, 3, at(kLarge24, 16)},
    {"xcit_large_24_p16_384", 384, 3, at(kLarge24, 16)},
    {"xcit_nano_12_p8_224", 224, 3, at(kNano12, 8)},
    {"xcit_nano_12_p8_384", 384, 3, at(kNano12, 8)},
    {"xcit_tiny_12_p8_224", 224, 3, at(kTiny12, 8)},
    {"xcit_tiny_12_p8_384", 384, 3, at(kTiny12, 8)},
    {"xcit_small_12_p8_224", 224, 3, at(kSmall12, 8)},
    {"xcit_small_12_p8_384", 384, 3, at(kSmall12, 8)},
    {"xcit_tiny_24_p8_224", 224, 3, at(kTiny24, 8)},
    {"xcit_tiny_24_p8_384", 384, 3, at(kTiny24, 8)},
    {"xcit_small_24_p8_224", 224, 3, at(kSmall24, 8)},
    {"xcit_small_24_p8_384", 384, 3, at(kSmall24, 8)},
    {"xcit_medium_24_p8_224", 224, 3, at(kMedium24, 8)},
    {"xcit_medium_24_p8_384", 384, 3, at(kMedium24, 8)},
    {"xcit_large_24_p8_224", 224, 3, at(kLarge24, 8)},
    {"xcit_large_24_p8_384", 384, 3, at(kLarge24, 8)},
});

} // namespace xcit

// XCiT (El-Nouby et al., "XCiT: cross-covariance image transformers", NeurIPS
// 2021).
inline const Family kXcit{
    .name = "xcit",
    .list = names_in<xcit::kNetworks>,
    .find = find_in<xcit::kNetworks>,
    .options = drop_path_option,
    .check = check_patches<XcitSpec>,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<XcitSpec>();
          return fmt::format(
              "width {}, depth {}+{}, {} heads, patch {}",
              net.embed_dim,
              net.depth,
              net.class_depth,
              net.heads,
              net.patch_size);
        },
    .identity = channels_identity,
    .layers =
        {{0, "cls_token|pos_embed|patch_embed"},
         {1, kNumberedBlocks},
         {2, R"(cls_attn_blocks\.(\d+))"},
         {2, "norm", {kWithPreviousLayer}}},
    .channels_last = true};

} // namespace vitrain::models
