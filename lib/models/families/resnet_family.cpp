#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "models/families/resnet.h"

// What the program knows of residual networks without building one.
namespace vitrain::models {
namespace resnet {
namespace {

constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kIndex = 8; // of max-pooling
constexpr std::int64_t kImage = 224;

struct Size {
  const char* name;
  std::array<std::int64_t, 4> blocks;
  bool bottleneck;
};

constexpr std::array kSizes{
    Size{"resnet18", {2, 2, 2, 2}, false},
    Size{"resnet50", {3, 4, 6, 3}, true},
};

const ResNetSpec& of(const ModelSpec& spec) {
  return std::any_cast<const ResNetSpec&>(spec.numbers);
}

std::vector<std::string> list() {
  std::vector<std::string> names;
  for (const Size& size : kSizes) {
    names.emplace_back(size.name);
  }
  return names;
}

std::optional<ModelSpec> find(const std::string& name) {
  for (const Size& size : kSizes) {
    if (name == size.name) {
      ModelSpec spec;
      spec.image_size = kImage;
      spec.numbers =
          ResNetSpec{.blocks = size.blocks, .bottleneck = size.bottleneck};
      return spec;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> options(const ModelSpec& /*named*/) {
  return {};
}

std::string describe(const ModelSpec& spec) {
  const ResNetSpec& net = of(spec);
  return fmt::format(
      "{} blocks of {} convolutions",
      std::accumulate(net.blocks.begin(), net.blocks.end(), std::int64_t{0}),
      net.bottleneck ? 3 : 2);
}

std::string identity(const ModelSpec& spec) {
  return fmt::format("{} channels", spec.channels);
}

// Side of what a convolution or pooling with stride 2 leaves.
std::int64_t halved(std::int64_t side) {
  return (side - 1) / 2 + 1;
}

// See resnet.cpp: of each convolution its result, and that of the BatchNorm and
// ReLU behind it, which the next one takes.
class ResNetCounter {
 public:
  explicit ResNetCounter(std::int64_t element) : element_(element) {}

  void add(std::int64_t channels, std::int64_t side, std::int64_t copies) {
    const std::int64_t bytes = channels * side * side * element_;
    kept_ += copies * bytes;
    largest_ = std::max(largest_, bytes);
  }
  void add_bytes(std::int64_t bytes) { kept_ += bytes; }

  std::int64_t kept() const { return kept_; }
  std::int64_t largest() const { return largest_; }

 private:
  std::int64_t element_;
  std::int64_t kept_ = 0;
  std::int64_t largest_ = 0;
};

ActivationBytes activations(const ModelSpec& spec, bool bf16) {
  ResNetCounter count(bf16 ? 2 : kFp32);
  const ResNetSpec& net = of(spec);
  std::int64_t side = halved(spec.image_size);
  count.add(64, side, 2);
  side = halved(side);
  count.add(64, side, 1);
  count.add_bytes(64 * side * side * kIndex);
  std::int64_t channels = 64;
  for (std::size_t stage = 0; stage < net.blocks.size(); ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    const std::int64_t out = net.bottleneck ? 4 * width : width;
    for (std::int64_t i = 0; i < net.blocks[stage]; ++i) {
      const std::int64_t before = side;
      side = i == 0 && stage > 0 ? halved(side) : side;
      if (net.bottleneck) {
        count.add(width, before, 2);
      }
      count.add(width, side, 2);
      count.add(out, side, 2);
      if (i == 0 && (stage > 0 || channels != out)) {
        count.add(out, side, 1);
      }
      channels = out;
    }
  }
  const std::int64_t pixels = spec.input_numbers() * kFp32;
  return {
      .kept = pixels + count.kept(), .passing = pixels + 3 * count.largest()};
}

} // namespace
} // namespace resnet

const Family kResNet{
    .name = "resnet",
    .list = resnet::list,
    .find = resnet::find,
    .options = resnet::options,
    .describe = resnet::describe,
    .identity = resnet::identity,
    .activations = resnet::activations,
    .make = make_resnet,
    .channels_last = true,
    // Convolutions copy into layouts of their own, and the allocator is left
    // with gaps that it cannot use.
    .memory_overhead = 1.8};

} // namespace vitrain::models
