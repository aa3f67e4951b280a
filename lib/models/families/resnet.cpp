#include "models/families/resnet.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace vitrain::models {
namespace resnet {
namespace {

constexpr std::int64_t kIndex = 8; // bytes per max-pooling index

using Named = NamedNetwork<ResNetSpec>;
using Blocks = std::array<std::int64_t, 4>;
using enum ResNetSpec::Stem;

constexpr Blocks k14{1, 1, 1, 1};
constexpr Blocks k26{2, 2, 2, 2};
constexpr Blocks k50{3, 4, 6, 3};
constexpr Blocks k101{3, 4, 23, 3};
constexpr Blocks k152{3, 8, 36, 3};
constexpr Blocks k200{3, 24, 36, 3};

constexpr Named plain(const char* name, Blocks blocks, bool bottleneck = true) {
  return {name, 224, 3, {.blocks = blocks, .bottleneck = bottleneck}};
}

constexpr Named d(
    const char* name,
    Blocks blocks,
    std::int64_t size = 224,
    bool bottleneck = true,
    ResNetSpec::Stem stem = kDeep) {
  return {
      name,
      size,
      3,
      {.blocks = blocks,
       .bottleneck = bottleneck,
       .stem = stem,
       .average_down = true}};
}

constexpr Named deep(const char* name, Blocks blocks, std::int64_t width) {
  return {
      name,
      224,
      3,
      {.blocks = blocks,
       .bottleneck = true,
       .stem = kDeep,
       .stem_width = width}};
}

constexpr Named wide(
    const char* name,
    Blocks blocks,
    std::int64_t groups,
    std::int64_t group_width) {
  return {
      name,
      224,
      3,
      {.blocks = blocks,
       .bottleneck = true,
       .groups = groups,
       .group_width = group_width}};
}

// Networks of timm 1.0 (timm/models/resnet.py).
constexpr auto kNetworks = std::to_array<Named>({
    plain("resnet18", k26, false),
    plain("resnet34", k50, false),
    plain("resnet26", k26),
    plain("resnet50", k50),
    plain("resnet101", k101),
    plain("resnet152", k152),
    plain("resnet200", k200),
    d("resnet18d", k26, 224, false),
    d("resnet34d", k50, 224, false),
    d("resnet26d", k26),
    d("resnet50d", k50),
    d("resnet101d", k101, 256),
    d("resnet152d", k152, 256),
    d("resnet200d", k200, 256),
    d("resnet10t", k14, 176, false, kTiered),
    d("resnet14t", k14, 176, true, kTiered),
    d("resnet26t", k26, 256, true, kTiered),
    d("resnet50t", k50, 224, true, kTiered),
    deep("resnet50c", k50, 64),
    deep("resnet101c", k101, 64),
    deep("resnet152c", k152, 64),
    deep("resnet50s", k50, 128),
    deep("resnet101s", k101, 128),
    deep("resnet152s", k152, 128),
    wide("wide_resnet50_2", k50, 1, 128),
    wide("wide_resnet101_2", k101, 1, 128),
    wide("resnext50_32x4d", k50, 32, 4),
    {"resnext50d_32x4d",
     224,
     3,
     {.blocks = k50,
      .bottleneck = true,
      .stem = kDeep,
      .average_down = true,
      .groups = 32,
      .group_width = 4}},
    wide("resnext101_32x4d", k101, 32, 4),
    wide("resnext101_32x8d", k101, 32, 8),
    wide("resnext101_32x16d", k101, 32, 16),
    wide("resnext101_32x32d", k101, 32, 32),
    wide("resnext101_64x4d", k101, 64, 4),
});

std::string describe(const ModelSpec& spec) {
  const auto& net = spec.get<ResNetSpec>();
  return fmt::format(
      "{} blocks of {} convolutions{}{}",
      std::accumulate(net.blocks.begin(), net.blocks.end(), std::int64_t{0}),
      net.bottleneck ? 3 : 2,
      net.stem == kPlain ? "" : ", deep stem",
      net.groups == 1 ? "" : fmt::format(", {} groups", net.groups));
}

// Output side of a convolution or pooling with stride 2.
std::int64_t halved(std::int64_t side) {
  return (side - 1) / 2 + 1;
}

ActivationBytes activations(const ModelSpec& spec, bool bf16) {
  const std::int64_t element = bf16 ? 2 : kFp32Bytes;
  std::int64_t kept = 0;
  std::int64_t largest = 0;
  // Adds the outputs of a convolution and of the BatchNorm and ReLU after it,
  // which are the next convolution's input.
  const auto count =
      [&](std::int64_t channels, std::int64_t side, std::int64_t copies) {
        const std::int64_t bytes = channels * side * side * element;
        kept += copies * bytes;
        largest = std::max(largest, bytes);
      };
  const auto& net = spec.get<ResNetSpec>();
  std::int64_t side = halved(spec.image_size.height);
  if (net.stem != kPlain) {
    for (const std::int64_t channels : net.stem_hidden()) {
      count(channels, side, 2);
    }
  }
  count(net.stem_width, side, 2);
  side = halved(side);
  count(net.stem_width, side, 1);
  kept += net.stem_width * side * side * kIndex;
  std::int64_t channels = net.stem_width;
  for (std::size_t stage = 0; stage < net.blocks.size(); ++stage) {
    const std::int64_t width = net.hidden(stage);
    const std::int64_t out = net.out(stage);
    for (std::int64_t i = 0; i < net.blocks[stage]; ++i) {
      const std::int64_t before = side;
      side = i == 0 && stage > 0 ? halved(side) : side;
      if (net.bottleneck) {
        count(width, before, 2);
      }
      count(width, side, 2);
      count(out, side, 2);
      if (i == 0 && (stage > 0 || channels != out)) {
        count(out, side, 1);
        if (net.average_down && stage > 0) {
          count(channels, side, 1);
        }
      }
      channels = out;
    }
  }
  const std::int64_t pixels = spec.input_numbers() * kFp32Bytes;
  return {.kept = pixels + kept, .passing = pixels + 3 * largest};
}

} // namespace
} // namespace resnet

const Family kResNet{
    .name = "resnet",
    .list = names_in<resnet::kNetworks>,
    .find = find_in<resnet::kNetworks>,
    .options = drop_path_option,
    .describe = resnet::describe,
    .identity = channels_identity,
    .activations = resnet::activations,
    .classifier = {"fc."},
    .layers = {{0, "conv1|bn1"}, {1, R"(layer(\d+)\.(\d+))"}},
    .any_image_size = true,
    .channels_last = true,
    // Convolutions copy tensors into their own layouts, and the allocator keeps
    // gaps that it cannot use.
    .memory_overhead = 1.8};

} // namespace vitrain::models
