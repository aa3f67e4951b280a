#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a VGG.
struct VggSpec {
  // Output channels of 3x3 convolutions in order; 0: a 2x2 max pooling.
  std::vector<std::int64_t> widths;
  bool norm = false; // BatchNorm after each convolution
  std::int64_t hidden = 4096; // channels of the 7x7 convolution
  std::int64_t features = 4096; // inputs of the classifier
};

namespace vgg {

using Widths = std::vector<std::int64_t>;

// Returns five groups of convolutions, each before a pooling.
inline Widths widths(const std::vector<std::int64_t>& counts) {
  Widths all;
  std::int64_t width = 64;
  for (const std::int64_t count : counts) {
    all.insert(all.end(), static_cast<std::size_t>(count), width);
    all.push_back(0);
    width = std::min<std::int64_t>(2 * width, 512);
  }
  return all;
}

inline const Widths k11 = widths({1, 1, 2, 2, 2});
inline const Widths k13 = widths({2, 2, 2, 2, 2});
inline const Widths k16 = widths({2, 2, 3, 3, 3});
inline const Widths k19 = widths({2, 2, 4, 4, 4});

// Networks of timm 1.0 (timm/models/vgg.py).
inline const std::vector<NamedNetwork<VggSpec>> kNetworks{
    {"vgg11", 224, 3, {k11}},
    {"vgg11_bn", 224, 3, {k11, true}},
    {"vgg13", 224, 3, {k13}},
    {"vgg13_bn", 224, 3, {k13, true}},
    {"vgg16", 224, 3, {k16}},
    {"vgg16_bn", 224, 3, {k16, true}},
    {"vgg19", 224, 3, {k19}},
    {"vgg19_bn", 224, 3, {k19, true}},
};

} // namespace vgg

// VGG (Simonyan and Zisserman, ICLR 2015), with its first two fully connected
// layers as convolutions, and without dropout.
inline const Family kVgg{
    .name = "vgg",
    .list = names_in<vgg::kNetworks>,
    .find = find_in<vgg::kNetworks>,
    .check = check_least<32>,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<VggSpec>();
          return fmt::format(
              "{} 3x3 convolutions{}",
              std::ssize(net.widths) - std::ranges::count(net.widths, 0),
              net.norm ? ", BatchNorm" : "");
        },
    .identity = channels_identity,
    .classifier = {"head.fc."},
    .layers = {{0, R"(features\.0)"}, {1, R"(features\.(\d+))"}},
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
