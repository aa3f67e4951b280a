#include "models/families/resnet.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace vitrain::models {
namespace resnet {
namespace {

constexpr std::int64_t kStemWidth = 64;
constexpr std::int64_t kIndex = 8; // bytes, of max-pooling

constexpr auto kNetworks = std::to_array<NamedNetwork<ResNetSpec>>({
    {"resnet18", 224, 3, {.blocks = {2, 2, 2, 2}, .bottleneck = false}},
    {"resnet34", 224, 3, {.blocks = {3, 4, 6, 3}, .bottleneck = false}},
    {"resnet50", 224, 3, {.blocks = {3, 4, 6, 3}, .bottleneck = true}},
    {"resnet101", 224, 3, {.blocks = {3, 4, 23, 3}, .bottleneck = true}},
    {"resnet152", 224, 3, {.blocks = {3, 8, 36, 3}, .bottleneck = true}},
});

std::string describe(const ModelSpec& spec) {
  const auto& net = spec.get<ResNetSpec>();
  return fmt::format(
      "{} blocks of {} convolutions",
      std::accumulate(net.blocks.begin(), net.blocks.end(), std::int64_t{0}),
      net.bottleneck ? 3 : 2);
}

// Side of what a convolution or pooling with stride 2 leaves.
std::int64_t halved(std::int64_t side) {
  return (side - 1) / 2 + 1;
}

ActivationBytes activations(const ModelSpec& spec, bool bf16) {
  const std::int64_t element = bf16 ? 2 : kFp32Bytes;
  std::int64_t kept = 0;
  std::int64_t largest = 0;
  // Of each convolution its result, and that of the BatchNorm and ReLU behind
  // it, which the next one takes.
  const auto count =
      [&](std::int64_t channels, std::int64_t side, std::int64_t copies) {
        const std::int64_t bytes = channels * side * side * element;
        kept += copies * bytes;
        largest = std::max(largest, bytes);
      };
  const auto& net = spec.get<ResNetSpec>();
  std::int64_t side = halved(spec.image_size.height);
  count(kStemWidth, side, 2);
  side = halved(side);
  count(kStemWidth, side, 1);
  kept += kStemWidth * side * side * kIndex;
  std::int64_t channels = kStemWidth;
  for (std::size_t stage = 0; stage < net.blocks.size(); ++stage) {
    const std::int64_t width = kStemWidth << stage;
    const std::int64_t out = net.bottleneck ? 4 * width : width;
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
    .describe = resnet::describe,
    .identity = channels_identity,
    .activations = resnet::activations,
    .classifier = {"fc."},
    .channels_last = true,
    // Convolutions copy into layouts of their own, and the allocator is left
    // with gaps that it cannot use.
    .memory_overhead = 1.8};

} // namespace vitrain::models
