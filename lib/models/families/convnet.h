#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Numbers of a small convolutional network: two convolutions, each with a
// pooling by 2, and two linear layers.
struct ConvNetSpec {
  std::array<std::int64_t, 2> widths{10, 20};
  std::int64_t kernel = 5;
  std::int64_t hidden = 50; // width of the first linear layer
  double dropout = 0.5;
};

namespace convnet {

inline constexpr std::array kNetworks{
    NamedNetwork<ConvNetSpec>{"mnist_convnet", 28, 1, {}}};

// Side of what is left of an image after both convolutions and poolings; below
// 1: it is too small.
inline std::int64_t grid_of(const ConvNetSpec& net, std::int64_t image_size) {
  return ((image_size - net.kernel + 1) / 2 - net.kernel + 1) / 2;
}

inline void check_size(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  const ImageSize size = image_size_of(config, named);
  checker.require(
      grid_of(named.get<ConvNetSpec>(), size.height) >= 1,
      "model.image_size",
      fmt::format(
          "image_size {} is too small for {}: its two 5x5 convolutions and "
          "poolings need at least 16 pixels",
          size.text(),
          named.name),
      {"model.name"});
}

inline ActivationBytes activations(const ModelSpec& spec, bool /*bf16*/) {
  const auto& net = spec.get<ConvNetSpec>();
  const std::int64_t first = spec.image_size.height - net.kernel + 1;
  const std::int64_t second = first / 2 - net.kernel + 1;
  const std::int64_t area1 = net.widths[0] * first * first;
  const std::int64_t area2 = net.widths[1] * second * second;
  const std::int64_t kept = spec.input_numbers() + area1 + 2 * area2 +
      (area1 + area2) / 4 * 4 + 4 * net.hidden;
  return {
      .kept = kept * kFp32Bytes,
      .passing = (spec.input_numbers() + 2 * area1) * kFp32Bytes};
}

} // namespace convnet

// The network of PyTorch's and Horovod's MNIST examples: convolution 5x5 to 10
// channels, pooling, ReLU; the same to 20 channels with whole channels dropped;
// a linear layer of 50 units with dropout; the classes. Parameters have the
// names there.
inline const Family kConvNet{
    .name = "convnet",
    .list = names_in<convnet::kNetworks>,
    .find = find_in<convnet::kNetworks>,
    .check = convnet::check_size,
    .describe =
        [](const ModelSpec&) {
          return std::string(
              "2 convolutions and 2 linear layers with dropout, grey input");
        },
    .identity = image_identity,
    .activations = convnet::activations};

} // namespace vitrain::models
