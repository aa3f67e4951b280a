#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a PiT, by stage.
struct PitSpec {
  std::int64_t patch_size = 16;
  std::int64_t stride = 8; // pixels between the starts of neighbouring patches
  std::array<std::int64_t, 3> depths{2, 6, 4};
  std::array<std::int64_t, 3> heads{};
  std::int64_t head_width = 48;
  std::int64_t mlp_ratio = 4;
  // A distillation token and head (Touvron et al., 2021).
  bool distilled = false;

  std::int64_t width(std::size_t stage) const {
    return head_width * heads[stage];
  }
  // Number of tokens before the patches.
  std::int64_t tokens() const { return distilled ? 2 : 1; }
};

namespace pit {

using Named = NamedNetwork<PitSpec>;
using Stages = std::array<std::int64_t, 3>;

inline constexpr Stages kHeads2{2, 4, 8};
inline constexpr Stages kHeads3{3, 6, 12};

constexpr Named plain(
    const char* name,
    Stages heads,
    std::int64_t head_width,
    bool distilled = false) {
  return {
      name,
      224,
      3,
      {.heads = heads, .head_width = head_width, .distilled = distilled}};
}

constexpr Named base(const char* name, bool distilled) {
  return {
      name,
      224,
      3,
      {.patch_size = 14,
       .stride = 7,
       .depths = {3, 6, 4},
       .heads = {4, 8, 16},
       .head_width = 64,
       .distilled = distilled}};
}

// Networks of timm 1.0 (timm/models/pit.py).
inline constexpr auto kNetworks = std::to_array<Named>({
    plain("pit_ti_224", kHeads2, 32),
    plain("pit_xs_224", kHeads2, 48),
    plain("pit_s_224", kHeads3, 48),
    base("pit_b_224", false),
    plain("pit_ti_distilled_224", kHeads2, 32, true),
    plain("pit_xs_distilled_224", kHeads2, 48, true),
    plain("pit_s_distilled_224", kHeads3, 48, true),
    base("pit_b_distilled_224", true),
});

} // namespace pit

// PiT, pooling-based vision transformers (Heo et al., "Rethinking spatial
// dimensions of vision transformers", ICCV 2021), in three stages.
inline const Family kPit{
    .name = "pit",
    .list = names_in<pit::kNetworks>,
    .find = find_in<pit::kNetworks>,
    .options = drop_path_option,
    .check =
        [](const config::ModelConfig& config,
           const ModelSpec& named,
           config::Checker& checker) {
          check_least_side(
              config, named, named.get<PitSpec>().patch_size, checker);
        },
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<PitSpec>();
          return fmt::format(
              "widths {}-{}-{}, depths {}, {}x{} patches every {} pixels{}",
              net.width(0),
              net.width(1),
              net.width(2),
              fmt::join(net.depths, "-"),
              net.patch_size,
              net.patch_size,
              net.stride,
              net.distilled ? ", distilled" : "");
        },
    .identity = image_identity,
    .classifier = {"head.", "head_dist."},
    .two_heads =
        [](const ModelSpec& spec) { return spec.get<PitSpec>().distilled; }};

} // namespace vitrain::models
