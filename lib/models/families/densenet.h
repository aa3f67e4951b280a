#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a DenseNet with bottlenecks and compression.
struct DenseNetSpec {
  std::array<std::int64_t, 4> depths{}; // layers per block
  std::int64_t growth = 32; // output channels of a layer
  bool deep_stem = false; // three 3x3 convolutions instead of one 7x7
};

namespace densenet {

// Networks of timm 1.0 (timm/models/densenet.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<DenseNetSpec>>({
    {"densenet121", 224, 3, {{6, 12, 24, 16}}},
    {"densenet161", 224, 3, {{6, 12, 36, 24}, 48}},
    {"densenet169", 224, 3, {{6, 12, 32, 32}}},
    {"densenet201", 224, 3, {{6, 12, 48, 32}}},
    {"densenet264d", 224, 3, {{6, 12, 64, 48}, 48, true}},
});

} // namespace densenet

// DenseNet-BC (Huang et al., "Densely connected convolutional networks", CVPR
// 2017). Images and weights are in channels_last.
inline const Family kDenseNet{
    .name = "densenet",
    .list = names_in<densenet::kNetworks>,
    .find = find_in<densenet::kNetworks>,
    .check = check_least<32>,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<DenseNetSpec>();
          return fmt::format(
              "depths {}, growth {}", fmt::join(net.depths, "-"), net.growth);
        },
    .identity = channels_identity,
    .classifier = {"classifier."},
    .layers =
        {{0, R"(features\.(?:conv|norm)[012]\.)"},
         {1, R"(features\.denseblock(\d+)\.denselayer(\d+))"},
         {1, R"(features\.transition(\d+))", {kWithPreviousLayer}}},
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
