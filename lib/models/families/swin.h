#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a Swin transformer, by stage.
struct SwinSpec {
  // Width of the first stage; doubles at each following stage.
  std::int64_t embed_dim = 96;
  std::array<std::int64_t, 4> depths{};
  std::array<std::int64_t, 4> heads{};
  // Sides of the windows, in tokens; a window is at most the stage's grid.
  std::array<std::int64_t, 4> windows{};
  // V2 only: sides of the windows in an earlier training, by which positions
  // are still scaled; 0: positions are scaled by the present windows.
  std::array<std::int64_t, 4> windows_before{};
};

namespace swin {

inline constexpr std::int64_t kPatch = 4;

using Stages = std::array<std::int64_t, 4>;

inline constexpr Stages kShallow{2, 2, 6, 2};
inline constexpr Stages kDeep{2, 2, 18, 2};
inline constexpr Stages kHeads3{3, 6, 12, 24};
inline constexpr Stages kHeads4{4, 8, 16, 32};
inline constexpr Stages kHeads6{6, 12, 24, 48};
inline constexpr Stages kWindow7{7, 7, 7, 7};
inline constexpr Stages kWindow12{12, 12, 12, 12};

// Networks of timm 1.0 (timm/models/swin_transformer.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<SwinSpec>>({
    {"swin_tiny_patch4_window7_224", 224, 3, {96, kShallow, kHeads3, kWindow7}},
    {"swin_small_patch4_window7_224", 224, 3, {96, kDeep, kHeads3, kWindow7}},
    {"swin_base_patch4_window7_224", 224, 3, {128, kDeep, kHeads4, kWindow7}},
    {"swin_base_patch4_window12_384", 384, 3, {128, kDeep, kHeads4, kWindow12}},
    {"swin_large_patch4_window7_224", 224, 3, {192, kDeep, kHeads6, kWindow7}},
    {"swin_large_patch4_window12_384",
     384,
     3,
     {192, kDeep, kHeads6, kWindow12}},
    {"swin_s3_tiny_224", 224, 3, {96, kShallow, kHeads3, {7, 7, 14, 7}}},
    {"swin_s3_small_224", 224, 3, {96, kDeep, kHeads3, {14, 14, 14, 7}}},
    {"swin_s3_base_224", 224, 3, {96, {2, 2, 30, 2}, kHeads3, {7, 7, 14, 7}}},
});

inline void check(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  check_multiple(config, named, kPatch, checker);
}

// Returns the token grid of a stage.
inline ImageSize grid(const ModelSpec& spec, std::size_t stage) {
  ImageSize size(
      spec.image_size.height / kPatch, spec.image_size.width / kPatch);
  for (; stage > 0; --stage) {
    size = {(size.height + 1) / 2, (size.width + 1) / 2};
  }
  return size;
}

// Returns the window, at most the grid, of the stage that a tensor
// ("layers.2.blocks.0...") belongs to; an empty size for other tensors.
inline ImageSize window(const ModelSpec& spec, std::string_view tensor) {
  constexpr std::string_view kStart = "layers.";
  const auto& windows = spec.get<SwinSpec>().windows;
  const std::size_t stage =
      tensor.size() > kStart.size() && tensor.starts_with(kStart)
      ? static_cast<std::size_t>(tensor[kStart.size()] - '0')
      : windows.size();
  if (stage >= windows.size()) {
    return {};
  }
  const ImageSize size = grid(spec, stage);
  return {
      std::min(size.height, windows[stage]),
      std::min(size.width, windows[stage])};
}

inline std::vector<LayerRule> layers() {
  return layers_in_stages(
      "absolute_pos_embed|patch_embed",
      R"(layers\.(\d+)\.downsample)",
      R"(layers\.(\d+)\.\w+\.(\d+))",
      "norm");
}

inline std::string describe(const ModelSpec& spec) {
  const auto& net = spec.get<SwinSpec>();
  return fmt::format(
      "width {}, depths {}, windows {}",
      net.embed_dim,
      fmt::join(net.depths, "-"),
      fmt::join(net.windows, "-"));
}

} // namespace swin

// Swin transformers (Liu et al., "Swin transformer: hierarchical vision
// transformer using shifted windows", ICCV 2021), and the Swin networks found
// by Chen et al., "Searching the search space of vision transformer", NeurIPS
// 2021 ("swin_s3_").
inline const Family kSwin{
    .name = "swin",
    .list = names_in<swin::kNetworks>,
    .find = find_in<swin::kNetworks>,
    .options = drop_path_option,
    .check = swin::check,
    .describe = swin::describe,
    .identity = image_identity,
    .classifier = {"head.fc."},
    .layers = swin::layers(),
    .grid = swin::window,
    .memory_overhead = 1.0};

} // namespace vitrain::models
