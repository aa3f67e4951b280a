#pragma once

#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

struct AlexNetSpec {
  std::int64_t hidden = 4096; // width of the fully connected layers
};

namespace alexnet {

// torchvision 0.26 (torchvision/models/alexnet.py).
inline constexpr auto kNetworks =
    std::to_array<NamedNetwork<AlexNetSpec>>({{"alexnet", 224, 3, {}}});

} // namespace alexnet

// AlexNet in one column (Krizhevsky, "One weird trick for parallelizing
// convolutional neural networks", 2014), without dropout.
inline const Family kAlexNet{
    .name = "alexnet",
    .list = names_in<alexnet::kNetworks>,
    .find = find_in<alexnet::kNetworks>,
    .check = check_least<63>,
    .describe = [](const ModelSpec&) -> std::string {
      return "5 convolutions, 3 fully connected layers";
    },
    .identity = channels_identity,
    .classifier = {"classifier.6."},
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
