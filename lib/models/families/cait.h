#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a CaiT.
struct CaitSpec {
  std::int64_t embed_dim = 0;
  // Number of self-attention blocks, which process patches only.
  std::int64_t depth = 0;
  std::int64_t heads = 0;
  double layer_scale = 1e-5; // initial LayerScale gamma
  std::int64_t patch_size = 16;
  std::int64_t class_depth = 2; // number of class attention blocks
};

namespace cait {

// Networks of timm 1.0 (timm/models/cait.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<CaitSpec>>({
    {"cait_xxs24_224", 224, 3, {192, 24, 4}},
    {"cait_xxs24_384", 384, 3, {192, 24, 4}},
    {"cait_xxs36_224", 224, 3, {192, 36, 4}},
    {"cait_xxs36_384", 384, 3, {192, 36, 4}},
    {"cait_xs24_384", 384, 3, {288, 24, 6}},
    {"cait_s24_224", 224, 3, {384, 24, 8}},
    {"cait_s24_384", 384, 3, {384, 24, 8}},
    {"cait_s36_384", 384, 3, {384, 36, 8, 1e-6}},
    {"cait_m36_384", 384, 3, {768, 36, 16, 1e-6}},
    {"cait_m48_448", 448, 3, {768, 48, 16, 1e-6}},
});

} // namespace cait

// CaiT (Touvron et al., "Going deeper with image transformers", ICCV 2021).
inline const Family kCait{
    .name = "cait",
    .list = names_in<cait::kNetworks>,
    .find = find_in<cait::kNetworks>,
    .options = drop_path_option,
    .check = check_patches<CaitSpec>,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<CaitSpec>();
          return fmt::format(
              "width {}, depth {}+{}, {} heads",
              net.embed_dim,
              net.depth,
              net.class_depth,
              net.heads);
        },
    .identity = image_identity,
    .layers =
        {{0, "cls_token|pos_embed|patch_embed"},
         {1, kNumberedBlocks},
         {.part = 1,
          .pattern = R"(blocks_token_only\.(\d+))",
          .ends_together = true},
         {1, "norm\\.", {kWithPreviousLayer}}},
    .grid = patch_grid<CaitSpec>};

} // namespace vitrain::models
