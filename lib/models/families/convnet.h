#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// A small convolutional network: two convolutions with 2x2 pooling, then two
// linear layers.
struct ConvNetSpec {
  std::array<std::int64_t, 2> widths{10, 20};
  std::int64_t kernel = 5;
  std::int64_t hidden = 50; // width of the first linear layer
  double dropout = 0.5;
};

namespace convnet {

inline constexpr std::array kNetworks{
    NamedNetwork<ConvNetSpec>{"mnist_convnet", 28, 1, {}}};

// Size of the feature map after both convolutions and poolings; below 1 if the
// image is too small.
inline ImageSize grid_of(const ConvNetSpec& net, const ImageSize& image) {
  const auto left = [&](std::int64_t side) {
    return ((side - net.kernel + 1) / 2 - net.kernel + 1) / 2;
  };
  return {left(image.height), left(image.width)};
}

inline void check_size(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  const ImageSize size = image_size_of(config, named);
  const ImageSize grid = grid_of(named.get<ConvNetSpec>(), size);
  checker.require(
      grid.height >= 1 && grid.width >= 1,
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
  const auto without_edge = [&](const ImageSize& size) {
    return ImageSize(size.height - net.kernel + 1, size.width - net.kernel + 1);
  };
  const ImageSize first = without_edge(spec.image_size);
  const ImageSize second = without_edge({first.height / 2, first.width / 2});
  const std::int64_t area1 = net.widths[0] * first.area();
  const std::int64_t area2 = net.widths[1] * second.area();
  const std::int64_t kept = spec.input_numbers() + area1 + 2 * area2 +
      (area1 + area2) / 4 * 4 + 4 * net.hidden;
  return {
      .kept = kept * kFp32Bytes,
      .passing = (spec.input_numbers() + 2 * area1) * kFp32Bytes};
}

} // namespace convnet

// The network of PyTorch's and Horovod's MNIST examples: a 5x5 convolution to
// 10 channels, pooling, ReLU; the same to 20 channels, with dropout of whole
// channels; a linear layer of 50 units with dropout; a linear layer to the
// classes. Parameters have the names of those examples.
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
    .activations = convnet::activations,
    .classifier = {"fc2."}};

} // namespace vitrain::models
