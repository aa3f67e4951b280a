#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

struct GhostNetSpec {
  double width = 1.0; // factor of all channels
};

namespace ghostnet {

// Networks of timm 1.0 (timm/models/ghostnet.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<GhostNetSpec>>({
    {"ghostnet_050", 224, 3, {0.5}},
    {"ghostnet_100", 224, 3, {1.0}},
    {"ghostnet_130", 224, 3, {1.3}},
});

} // namespace ghostnet

// GhostNet (Han et al., CVPR 2020): half the channels of a layer are computed
// from the other half by depthwise convolutions. Without dropout. Images and
// weights are in channels_last.
inline const Family kGhostNet{
    .name = "ghostnet",
    .list = names_in<ghostnet::kNetworks>,
    .find = find_in<ghostnet::kNetworks>,
    .check = check_least<32>,
    .describe =
        [](const ModelSpec& spec) {
          return fmt::format("width {}", spec.get<GhostNetSpec>().width);
        },
    .identity = channels_identity,
    .classifier = {"classifier."},
    .layers = layers_in_blocks(
        "conv_stem|bn1",
        R"(blocks\.(\d+)\.(\d+))",
        "conv_head"),
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
