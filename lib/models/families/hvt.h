#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of an HVT.
struct HvtSpec {
  std::int64_t embed_dim = 384;
  std::int64_t heads = 6;
  // Every pool_every-th block, starting with the first, halves the number of
  // tokens; 0: no block does.
  std::int64_t pool_every = 0;
  std::int64_t depth = 12;
  std::int64_t mlp_ratio = 4;
  std::int64_t patch_size = 16;

  // Max pooling over three tokens with stride 2.
  static constexpr std::int64_t kPoolWindow = 3;
  static constexpr std::int64_t kPoolStride = 2;

  bool pools(std::int64_t block) const {
    return pool_every > 0 && block % pool_every == 0;
  }
  static std::int64_t pooled(std::int64_t tokens) {
    return tokens < kPoolWindow ? 0 : (tokens - kPoolWindow) / kPoolStride + 1;
  }
};

namespace hvt {

// The authors' five networks and one without pooling, under PaddleViT's names.
inline constexpr auto kNetworks = std::to_array<NamedNetwork<HvtSpec>>({
    {"hvt_ti_1_patch16_224", 224, 3, {192, 3, 12}},
    {"hvt_s0_patch16_224", 224, 3, {384, 6, 0}},
    {"hvt_s1_patch16_224", 224, 3, {384, 6, 12}},
    {"hvt_s2_patch16_224", 224, 3, {384, 6, 6}},
    {"hvt_s3_patch16_224", 224, 3, {384, 6, 4}},
    {"scale_hvt_ti_4_patch16_224", 224, 3, {384, 6, 3}},
});

inline void check_tokens(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  const auto& net = named.get<HvtSpec>();
  check_multiple(config, named, net.patch_size, checker);
  const ImageSize size = image_size_of(config, named);
  std::int64_t tokens =
      (size.height / net.patch_size) * (size.width / net.patch_size);
  std::int64_t pools = 0;
  for (std::int64_t block = 0; block < net.depth; ++block) {
    if (net.pools(block)) {
      tokens = HvtSpec::pooled(tokens);
      ++pools;
    }
  }
  checker.require(
      tokens > 0,
      "model.image_size",
      fmt::format(
          "image_size {} has too few patches of {}x{} for {}, which halves "
          "their number {} times",
          size.text(),
          net.patch_size,
          net.patch_size,
          named.name,
          pools),
      {"model.name"});
}

} // namespace hvt

// Hierarchical visual transformers (Pan et al., "Scalable vision transformers
// with hierarchical pooling", ICCV 2021).
inline const Family kHvt{
    .name = "hvt",
    .list = names_in<hvt::kNetworks>,
    .find = find_in<hvt::kNetworks>,
    .options = drop_path_option,
    .check = hvt::check_tokens,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<HvtSpec>();
          return fmt::format(
              "width {}, depth {}, {} heads, {}",
              net.embed_dim,
              net.depth,
              net.heads,
              net.pool_every == 0
                  ? "all tokens kept"
                  : fmt::format(
                        "tokens halved every {} blocks", net.pool_every));
        },
    .identity = image_identity,
    .layers =
        layers_in_blocks("pos_embed|patch_embed", kNumberedBlocks, "norm\\."),
    .grid = patch_grid<HvtSpec>};

} // namespace vitrain::models
