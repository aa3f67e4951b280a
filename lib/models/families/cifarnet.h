#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// A network for fast training on small images: a whitening convolution, groups
// of two 3x3 convolutions with 2x2 pooling, and 3x3 pooling.
struct CifarNetSpec {
  std::int64_t whiten_kernel = 2;
  std::array<std::int64_t, 3> widths{64, 256, 256};
  double head_scale = 1.0 / 9.0; // factor of the logits
};

namespace cifarnet {

inline constexpr std::array kNetworks{
    NamedNetwork<CifarNetSpec>{"cifarnet", 32, 3, {}}};

inline constexpr std::int64_t kLastPooling = 3;
// Smallest image side that leaves 3 pixels for the last pooling.
inline constexpr std::int64_t kLeastSide = 25;

// Number of outputs of the whitening convolution: each direction in the space
// of patches, and its negative.
inline std::int64_t whitened_channels(const ModelSpec& spec) {
  const std::int64_t kernel = spec.get<CifarNetSpec>().whiten_kernel;
  return 2 * spec.channels * kernel * kernel;
}

// Size of the feature map before the classifier.
inline ImageSize grid_of(const ModelSpec& spec) {
  const auto& net = spec.get<CifarNetSpec>();
  const auto left = [&](std::int64_t side) {
    side -= net.whiten_kernel - 1;
    for (std::size_t i = 0; i < net.widths.size(); ++i) {
      side /= 2;
    }
    return side / kLastPooling;
  };
  return {left(spec.image_size.height), left(spec.image_size.width)};
}

} // namespace cifarnet

// The network of "94% on CIFAR-10 in 3.29 seconds on a single GPU" (Jordan,
// arXiv:2404.00498). The network does not freeze the weights that are frozen
// there (whitening, scales of BatchNorm): the recipe has to, by model.freeze.
// Images and weights are in channels_last.
inline const Family kCifarNet{
    .name = "cifarnet",
    .list = names_in<cifarnet::kNetworks>,
    .find = find_in<cifarnet::kNetworks>,
    .check = check_least<cifarnet::kLeastSide>,
    .describe =
        [](const ModelSpec&) {
          return std::string(
              "whitening of 2x2 patches, then 3 groups of 2 convolutions");
        },
    .identity = image_identity,
    .channels_last = true};

} // namespace vitrain::models
