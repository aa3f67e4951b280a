#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Layers of a SqueezeNet.
struct SqueezeNetSpec {
  std::int64_t stem = 64; // channels of the first convolution
  std::int64_t kernel = 3;
  // Channels of the 1x1 convolution of each fire module, which has eight times
  // as many output channels; 0: a max pooling.
  std::vector<std::int64_t> fires{};
};

namespace squeezenet {

// torchvision 0.26 (torchvision/models/squeezenet.py).
inline const std::vector<NamedNetwork<SqueezeNetSpec>> kNetworks{
    {"squeezenet1_0",
     224,
     3,
     {96, 7, {0, 16, 16, 32, 0, 32, 48, 48, 64, 0, 64}}},
    {"squeezenet1_1",
     224,
     3,
     {64, 3, {0, 16, 16, 0, 32, 32, 0, 48, 48, 64, 64}}},
};

} // namespace squeezenet

// SqueezeNet (Iandola et al., 2016), without dropout.
inline const Family kSqueezeNet{
    .name = "squeezenet",
    .list = names_in<squeezenet::kNetworks>,
    .find = find_in<squeezenet::kNetworks>,
    .check = check_least<32>,
    .describe =
        [](const ModelSpec& spec) {
          const auto& fires = spec.get<SqueezeNetSpec>().fires;
          return fmt::format(
              "{} fire modules",
              std::ssize(fires) - std::ranges::count(fires, 0));
        },
    .identity = channels_identity,
    .classifier = {"classifier.1."},
    .any_image_size = true,
    .has_conv_classifier = true,
    .channels_last = true};

} // namespace vitrain::models
