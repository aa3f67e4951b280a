#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// A VOLO: outlook attention in the first stage, self-attention in later ones.
struct VoloSpec {
  std::array<std::int64_t, 4> depths{};
  std::int64_t outlook_width = 0;
  std::int64_t outlook_heads = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t mlp_ratio = 3;
  std::int64_t stem_width = 64;
};

namespace volo {

// Image side, in pixels, of a token in the first stage; tokens of later stages
// cover twice that.
inline constexpr std::int64_t kPatch = 8;

inline constexpr VoloSpec kD1{{4, 4, 8, 2}, 192, 6, 384, 12};
inline constexpr VoloSpec kD2{{6, 4, 10, 4}, 256, 8, 512, 16};
inline constexpr VoloSpec kD3{{8, 8, 16, 4}, 256, 8, 512, 16};
inline constexpr VoloSpec kD4{{8, 8, 16, 4}, 384, 12, 768, 16};
inline constexpr VoloSpec kD5{{12, 12, 20, 4}, 384, 12, 768, 16, 4, 128};

// Networks of timm 1.0 (timm/models/volo.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<VoloSpec>>({
    {"volo_d1_224", 224, 3, kD1},
    {"volo_d1_384", 384, 3, kD1},
    {"volo_d2_224", 224, 3, kD2},
    {"volo_d2_384", 384, 3, kD2},
    {"volo_d3_224", 224, 3, kD3},
    {"volo_d3_448", 448, 3, kD3},
    {"volo_d4_224", 224, 3, kD4},
    {"volo_d4_448", 448, 3, kD4},
    {"volo_d5_224", 224, 3, kD5},
    {"volo_d5_448", 448, 3, kD5},
    {"volo_d5_512", 512, 3, kD5},
});

} // namespace volo

// VOLO (Yuan et al., "VOLO: vision outlooker for visual recognition", TPAMI
// 2022).
inline const Family kVolo{
    .name = "volo",
    .list = names_in<volo::kNetworks>,
    .find = find_in<volo::kNetworks>,
    .options = drop_path_option,
    .check =
        [](const config::ModelConfig& config,
           const ModelSpec& named,
           config::Checker& checker) {
          check_multiple(config, named, volo::kPatch, checker);
          check_least_side(config, named, 2 * volo::kPatch, checker);
        },
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<VoloSpec>();
          return fmt::format(
              "widths {}-{}, depths {}",
              net.outlook_width,
              net.width,
              fmt::join(net.depths, "-"));
        },
    .identity = image_identity,
    .classifier = {"head.", "aux_head."},
    .layers =
        {{0, "cls_token|pos_embed|patch_embed"},
         {1, R"(network\.(\d+)\.(\d+))"},
         {1, R"(network\.(\d+))", {0}},
         {2, R"(post_network\.(\d+))"},
         {2, "norm", {kWithPreviousLayer}}},
    .channels_last = true};

} // namespace vitrain::models
