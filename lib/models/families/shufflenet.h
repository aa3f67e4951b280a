#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/families/family.h"

namespace vitrain::models {

struct ShuffleNetSpec {
  std::array<std::int64_t, 3> depths{4, 8, 4};
  std::array<std::int64_t, 3> widths{};
  std::int64_t features = 1024; // channels of the last convolution
};

namespace shufflenet {

constexpr NamedNetwork<ShuffleNetSpec> row(
    const char* name,
    const std::array<std::int64_t, 3>& widths,
    std::int64_t features = 1024) {
  return {name, 224, 3, {.widths = widths, .features = features}};
}

// torchvision 0.26 (torchvision/models/shufflenetv2.py).
inline constexpr auto kNetworks = std::to_array({
    row("shufflenet_v2_x0_5", {48, 96, 192}),
    row("shufflenet_v2_x1_0", {116, 232, 464}),
    row("shufflenet_v2_x1_5", {176, 352, 704}),
    row("shufflenet_v2_x2_0", {244, 488, 976}, 2048),
});

} // namespace shufflenet

// ShuffleNet V2 (Ma et al., ECCV 2018): blocks compute half of the channels and
// mix them with the other half. Images and weights are in channels_last.
inline const Family kShuffleNet{
    .name = "shufflenet",
    .list = names_in<shufflenet::kNetworks>,
    .find = find_in<shufflenet::kNetworks>,
    .check = check_least<32>,
    .describe = describe_stages<ShuffleNetSpec>,
    .identity = channels_identity,
    .classifier = {"fc."},
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
