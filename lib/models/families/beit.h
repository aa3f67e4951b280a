#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a BEiT.
struct BeitSpec {
  std::int64_t embed_dim = 0;
  std::int64_t depth = 0;
  std::int64_t heads = 0;
  double layer_scale = 1e-5; // initial LayerScale gamma
  std::int64_t patch_size = 16;
};

namespace beit {

inline constexpr BeitSpec kBase{768, 12, 12};
inline constexpr BeitSpec kLarge{1024, 24, 16};

// Networks of timm 1.0 (timm/models/beit.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<BeitSpec>>({
    {"beit_base_patch16_224", 224, 3, {768, 12, 12, 0.1}},
    {"beit_base_patch16_384", 384, 3, {768, 12, 12, 0.1}},
    {"beit_large_patch16_224", 224, 3, kLarge},
    {"beit_large_patch16_384", 384, 3, kLarge},
    {"beit_large_patch16_512", 512, 3, kLarge},
    {"beitv2_base_patch16_224", 224, 3, kBase},
    {"beitv2_large_patch16_224", 224, 3, kLarge},
});

} // namespace beit

// The fine-tuning networks of BEiT (Bao et al., ICLR 2022) and BEiT v2 (Peng et
// al., 2022): vision transformers with relative position bias in attention.
inline const Family kBeit{
    .name = "beit",
    .list = names_in<beit::kNetworks>,
    .find = find_in<beit::kNetworks>,
    .options = drop_path_option,
    .check = check_patches<BeitSpec>,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<BeitSpec>();
          return fmt::format(
              "width {}, depth {}, {} heads, patch {}",
              net.embed_dim,
              net.depth,
              net.heads,
              net.patch_size);
        },
    .identity = image_identity,
    .layers = layers_in_blocks(
        "cls_token|pos_embed|patch_embed|rel_pos_bias",
        kNumberedBlocks,
        "norm"),
    .grid = patch_grid<BeitSpec>};

} // namespace vitrain::models
