#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a RegNet, by stage.
struct RegNetSpec {
  std::array<std::int64_t, 4> depths{};
  std::array<std::int64_t, 4> widths{};
  // Channels per group of the 3x3 convolutions.
  std::array<std::int64_t, 4> group_widths{};
  bool squeeze = false; // squeeze-excitation (RegNetY)
  std::int64_t stem = 32; // output channels of the stem
};

namespace regnet {

using Stages = std::array<std::int64_t, 4>;
using Named = NamedNetwork<RegNetSpec>;

constexpr Named
x(const char* name, Stages depths, Stages widths, std::int64_t group) {
  return {name, 224, 3, {depths, widths, {group, group, group, group}}};
}

constexpr Named y(
    const char* name,
    Stages depths,
    Stages widths,
    std::int64_t group,
    std::int64_t size = 224) {
  return {name, size, 3, {depths, widths, {group, group, group, group}, true}};
}

// Networks of timm 1.0, which computes these numbers from four parameters each
// (timm/models/regnet.py). Widths are multiples of the group widths.
inline constexpr auto kNetworks = std::to_array<Named>({
    x("regnetx_002", {1, 1, 4, 7}, {24, 56, 152, 368}, 8),
    x("regnetx_004", {1, 2, 7, 12}, {32, 64, 160, 384}, 16),
    x("regnetx_004_tv", {1, 2, 7, 12}, {32, 64, 160, 400}, 16),
    x("regnetx_006", {1, 3, 5, 7}, {48, 96, 240, 528}, 24),
    x("regnetx_008", {1, 3, 7, 5}, {64, 128, 288, 672}, 16),
    x("regnetx_016", {2, 4, 10, 2}, {72, 168, 408, 912}, 24),
    x("regnetx_032", {2, 6, 15, 2}, {96, 192, 432, 1008}, 48),
    x("regnetx_040", {2, 5, 14, 2}, {80, 240, 560, 1360}, 40),
    x("regnetx_064", {2, 4, 10, 1}, {168, 392, 784, 1624}, 56),
    {"regnetx_080",
     224,
     3,
     {{2, 5, 15, 1}, {80, 240, 720, 1920}, {80, 120, 120, 120}}},
    x("regnetx_120", {2, 5, 11, 1}, {224, 448, 896, 2240}, 112),
    x("regnetx_160", {2, 6, 13, 1}, {256, 512, 896, 2048}, 128),
    x("regnetx_320", {2, 7, 13, 1}, {336, 672, 1344, 2520}, 168),
    y("regnety_002", {1, 1, 4, 7}, {24, 56, 152, 368}, 8),
    y("regnety_004", {1, 3, 6, 6}, {48, 104, 208, 440}, 8),
    y("regnety_006", {1, 3, 7, 4}, {48, 112, 256, 608}, 16),
    y("regnety_008", {1, 3, 8, 2}, {64, 128, 320, 768}, 16),
    y("regnety_008_tv", {1, 3, 8, 2}, {64, 144, 320, 784}, 16),
    y("regnety_016", {2, 6, 17, 2}, {48, 120, 336, 888}, 24),
    y("regnety_032", {2, 5, 13, 1}, {72, 216, 576, 1512}, 24),
    y("regnety_040", {2, 6, 12, 2}, {128, 192, 512, 1088}, 64),
    y("regnety_064", {2, 7, 14, 2}, {144, 288, 576, 1296}, 72),
    y("regnety_080", {2, 4, 10, 1}, {168, 448, 896, 2016}, 56),
    y("regnety_080_tv", {2, 4, 10, 1}, {224, 448, 896, 2016}, 56),
    y("regnety_120", {2, 5, 11, 1}, {224, 448, 896, 2240}, 112),
    y("regnety_160", {2, 4, 11, 1}, {224, 448, 1232, 3024}, 112),
    y("regnety_320", {2, 5, 12, 1}, {232, 696, 1392, 3712}, 232),
    y("regnety_640", {2, 5, 12, 1}, {328, 984, 1968, 4920}, 328, 384),
    y("regnety_1280", {2, 7, 17, 1}, {528, 1056, 2904, 7392}, 264, 384),
    y("regnety_2560", {2, 7, 17, 1}, {746, 1492, 4103, 10444}, 373, 384),
});

} // namespace regnet

// RegNetX and RegNetY (Radosavovic et al., "Designing network design spaces",
// CVPR 2020): residual blocks with grouped 3x3 convolutions. Images and weights
// are in channels_last.
inline const Family kRegNet{
    .name = "regnet",
    .list = names_in<regnet::kNetworks>,
    .find = find_in<regnet::kNetworks>,
    .options = drop_path_option,
    .check = check_least<32>,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<RegNetSpec>();
          return describe_stages<RegNetSpec>(spec) +
              (net.squeeze ? ", squeeze-excitation" : "");
        },
    .identity = channels_identity,
    .classifier = {"head.fc."},
    .layers = {{0, "stem"}, {1, R"(s(\d+)\.b(\d+))"}},
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
