#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// A CrossViT: two branches over the same image, one with small and one with
// large patches.
struct CrossVitSpec {
  template <typename T>
  using Branches = std::array<T, 2>; // [0]: small patches, [1]: large patches

  Branches<std::int64_t> widths{};
  Branches<std::int64_t> heads{};
  Branches<std::int64_t> mlp_ratios{};
  // Blocks per stage of each branch; the second number is at least the first.
  // After each stage the branches exchange their class tokens.
  Branches<std::int64_t> depths{1, 4};
  std::int64_t stages = 3;
  // Patch embedding by three convolutions ("dagger").
  bool three_convolutions = false;
  // The second branch uses the image resized by to_side / from_side.
  std::int64_t to_side = 224;
  std::int64_t from_side = 240;

  // Returns the size to which a branch resizes the image.
  ImageSize seen(const ImageSize& image, std::size_t branch) const {
    if (branch == 0) {
      return image;
    }
    // Rounds as timm: int(side * (224 / 240)).
    const double scale =
        static_cast<double>(to_side) / static_cast<double>(from_side);
    const auto scaled = [&](std::int64_t side) {
      return static_cast<std::int64_t>(static_cast<double>(side) * scale);
    };
    return {scaled(image.height), scaled(image.width)};
  }
};

namespace crossvit {

inline constexpr std::array<std::int64_t, 2> kPatches{12, 16};

using Named = NamedNetwork<CrossVitSpec>;

// Returns a network for images of 240 x 240 whose second branch has twice the
// width of the first; `depth`: blocks per stage of the second branch.
constexpr Named plain(
    const char* name,
    std::int64_t width,
    std::int64_t heads,
    std::int64_t mlp_ratio,
    std::int64_t depth) {
  return {
      name,
      240,
      3,
      {.widths = {width, 2 * width},
       .heads = {heads, heads},
       .mlp_ratios = {mlp_ratio, mlp_ratio},
       .depths = {1, depth}}};
}

constexpr Named dagger(Named network, std::int64_t side = 240) {
  network.numbers.three_convolutions = true;
  if (side == 408) {
    network.numbers.to_side = 384;
    network.numbers.from_side = 408;
  }
  network.image_size = side;
  return network;
}

// Networks of timm 1.0 (timm/models/crossvit.py).
inline constexpr auto kNetworks = std::to_array<Named>({
    plain("crossvit_tiny_240", 96, 3, 4, 4),
    plain("crossvit_small_240", 192, 6, 4, 4),
    plain("crossvit_base_240", 384, 12, 4, 4),
    plain("crossvit_9_240", 128, 4, 3, 3),
    plain("crossvit_15_240", 192, 6, 3, 5),
    plain("crossvit_18_240", 224, 7, 3, 6),
    dagger(plain("crossvit_9_dagger_240", 128, 4, 3, 3)),
    dagger(plain("crossvit_15_dagger_240", 192, 6, 3, 5)),
    dagger(plain("crossvit_15_dagger_408", 192, 6, 3, 5), 408),
    dagger(plain("crossvit_18_dagger_240", 224, 7, 3, 6)),
    dagger(plain("crossvit_18_dagger_408", 224, 7, 3, 6), 408),
});

// Returns the patch grid of the branch that a tensor ("pos_embed_1") belongs
// to.
inline ImageSize grid(const ModelSpec& spec, std::string_view tensor) {
  const std::size_t branch = tensor.ends_with("1") ? 1 : 0;
  const ImageSize seen = spec.get<CrossVitSpec>().seen(spec.image_size, branch);
  return {seen.height / kPatches[branch], seen.width / kPatches[branch]};
}

// Reports an image size that is not a whole number of patches in both branches.
inline void check_patches(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  const ImageSize size = image_size_of(config, named);
  const auto& net = named.get<CrossVitSpec>();
  const auto whole = [&](std::size_t branch) {
    const ImageSize seen = net.seen(size, branch);
    const std::int64_t patch = kPatches[branch];
    return seen.height >= patch && seen.height % patch == 0 &&
        seen.width >= patch && seen.width % patch == 0;
  };
  checker.require(
      whole(0) && whole(1),
      "model.image_size",
      fmt::format(
          "image_size {} does not do for {}: its sides have to be multiples of "
          "{}, and {}/{} of them of {}, such as {}",
          size.text(),
          named.name,
          kPatches[0],
          net.to_side,
          net.from_side,
          kPatches[1],
          named.image_size.text()),
      {"model.name"});
}

} // namespace crossvit

// CrossViT (Chen et al., "CrossViT: cross-attention multi-scale vision
// transformer for image classification", ICCV 2021).
inline const Family kCrossVit{
    .name = "crossvit",
    .list = names_in<crossvit::kNetworks>,
    .find = find_in<crossvit::kNetworks>,
    .options = drop_path_option,
    .check = crossvit::check_patches,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<CrossVitSpec>();
          return fmt::format(
              "widths {} and {}, depth {}x({}, {}), {}x{} and {}x{} patches",
              net.widths[0],
              net.widths[1],
              net.stages,
              net.depths[0],
              net.depths[1],
              crossvit::kPatches[0],
              crossvit::kPatches[0],
              crossvit::kPatches[1],
              crossvit::kPatches[1]);
        },
    .identity = image_identity,
    .layers = layers_in_blocks(
        "cls_token|pos_embed|patch_embed",
        kNumberedBlocks,
        "norm"),
    .grid = crossvit::grid};

} // namespace vitrain::models
