#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a PVT v2, by stage.
struct PvtV2Spec {
  std::array<std::int64_t, 4> depths{};
  std::array<std::int64_t, 4> widths{};
  std::array<std::int64_t, 4> heads{1, 2, 5, 8};
  std::array<std::int64_t, 4> mlp_ratios{8, 8, 4, 4};
  // Side of the squares of tokens that are reduced to one key and value; 1: no
  // reduction.
  std::array<std::int64_t, 4> reductions{8, 4, 2, 1};
  // Linear attention: keys and values are averages over a 7 x 7 grid of
  // regions; `reductions` have no effect.
  bool linear = false;
};

namespace pvt_v2 {

using Stages = std::array<std::int64_t, 4>;

inline constexpr Stages kSmall{32, 64, 160, 256};
inline constexpr Stages kWide{64, 128, 320, 512};

constexpr NamedNetwork<PvtV2Spec>
plain(const char* name, Stages depths, Stages widths) {
  return {name, 224, 3, {.depths = depths, .widths = widths}};
}

// Networks of timm 1.0 (timm/models/pvt_v2.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<PvtV2Spec>>({
    plain("pvt_v2_b0", {2, 2, 2, 2}, kSmall),
    plain("pvt_v2_b1", {2, 2, 2, 2}, kWide),
    plain("pvt_v2_b2", {3, 4, 6, 3}, kWide),
    {"pvt_v2_b2_li",
     224,
     3,
     {.depths = {3, 4, 6, 3}, .widths = kWide, .linear = true}},
    plain("pvt_v2_b3", {3, 4, 18, 3}, kWide),
    plain("pvt_v2_b4", {3, 8, 27, 3}, kWide),
    {"pvt_v2_b5",
     224,
     3,
     {.depths = {3, 6, 40, 3}, .widths = kWide, .mlp_ratios = {4, 4, 4, 4}}},
});

// Returns the smallest image side for which the reduction of the first stage,
// whose tokens are 4 pixels apart, leaves a key.
constexpr std::int64_t least_side(const PvtV2Spec& net) {
  return net.linear ? 1 : 4 * net.reductions[0] - 3;
}

} // namespace pvt_v2

// Pyramid vision transformers, version 2 (Wang et al., "PVT v2: Improved
// baselines with pyramid vision transformer", 2021).
inline const Family kPvtV2{
    .name = "pvt_v2",
    .list = names_in<pvt_v2::kNetworks>,
    .find = find_in<pvt_v2::kNetworks>,
    .options = drop_path_option,
    .check =
        [](const config::ModelConfig& config,
           const ModelSpec& named,
           config::Checker& checker) {
          check_least_side(
              config,
              named,
              pvt_v2::least_side(named.get<PvtV2Spec>()),
              checker);
        },
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<PvtV2Spec>();
          return describe_stages<PvtV2Spec>(spec) +
              (net.linear ? ", linear attention" : "");
        },
    .identity = channels_identity,
    .layers = {{0, "patch_embed"}, {1, R"(stages\.(\d+))"}},
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
