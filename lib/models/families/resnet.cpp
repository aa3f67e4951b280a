#include "models/families/resnet.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace vitrain::models {
namespace resnet {
namespace {

constexpr std::int64_t kIndex = 8; // bytes per max-pooling index

using Blocks = std::array<std::int64_t, 4>;
using enum ResNetSpec::Stem;
using enum ResNetSpec::Main;
using Gate = ResNetSpec::Gate;

constexpr Blocks k14{1, 1, 1, 1};
constexpr Blocks k26{2, 2, 2, 2};
constexpr Blocks k50{3, 4, 6, 3};
constexpr Blocks k101{3, 4, 23, 3};
constexpr Blocks k152{3, 8, 36, 3};
constexpr Blocks k200{3, 24, 36, 3};
constexpr Blocks k269{3, 30, 48, 8};

constexpr ResNetSpec basic(Blocks blocks) {
  return {.blocks = blocks};
}

constexpr ResNetSpec bottleneck(Blocks blocks) {
  return {.blocks = blocks, .bottleneck = true};
}

// The functions below return `net` with one change.
constexpr ResNetSpec deep(ResNetSpec net, std::int64_t width = 64) {
  net.stem = kDeep;
  net.stem_width = width;
  return net;
}

constexpr ResNetSpec average_down(ResNetSpec net) {
  net.average_down = true;
  return net;
}

constexpr ResNetSpec d(ResNetSpec net, std::int64_t width = 64) {
  return average_down(deep(net, width));
}

constexpr ResNetSpec t(ResNetSpec net) {
  net.stem = kTiered;
  return average_down(net);
}

constexpr ResNetSpec
wide(ResNetSpec net, std::int64_t groups, std::int64_t group_width) {
  net.groups = groups;
  net.group_width = group_width;
  return net;
}

constexpr ResNetSpec se(ResNetSpec net, double squeeze = 1.0 / 16.0) {
  net.gate = Gate::kSqueeze;
  net.squeeze = squeeze;
  return net;
}

constexpr ResNetSpec eca(ResNetSpec net) {
  net.gate = Gate::kEca;
  return net;
}

constexpr ResNetSpec blur(ResNetSpec net) {
  net.smoothing = ResNetSpec::Smoothing::kBlur;
  return net;
}

constexpr ResNetSpec aa(ResNetSpec net) {
  net.smoothing = ResNetSpec::Smoothing::kAverage;
  return net;
}

constexpr ResNetSpec rs(Blocks blocks) {
  ResNetSpec net = se(d(bottleneck(blocks)), 0.25);
  net.pool_by_conv = true;
  return net;
}

constexpr ResNetSpec senet(ResNetSpec net) {
  net.halve_first = true;
  net.down_kernel = 3;
  return se(net);
}

constexpr ResNetSpec group_norm(ResNetSpec net) {
  net.norm_groups = 32;
  return net;
}

constexpr ResNetSpec
sk(ResNetSpec net, double squeeze, std::int64_t multiple, bool split = true) {
  net.main = kSelective;
  net.squeeze = squeeze;
  net.squeeze_multiple = multiple;
  net.parts = split ? 2 : 1;
  return net;
}

constexpr ResNetSpec
split(ResNetSpec net, std::int64_t radix = 2, bool average_first = false) {
  net.main = kSplit;
  net.parts = radix;
  net.average_first = average_first;
  return net;
}

constexpr ResNetSpec
scales(ResNetSpec net, std::int64_t width, std::int64_t parts) {
  net.main = kScales;
  net.group_width = width;
  net.parts = parts;
  return net;
}

// Networks of timm 1.0 (timm/models/resnet.py).
constexpr auto kNetworks = std::to_array<NamedNetwork<ResNetSpec>>({
    {"resnet18", 224, 3, basic(k26)},
    {"resnet34", 224, 3, basic(k50)},
    {"resnet26", 224, 3, bottleneck(k26)},
    {"resnet50", 224, 3, bottleneck(k50)},
    {"resnet101", 224, 3, bottleneck(k101)},
    {"resnet152", 224, 3, bottleneck(k152)},
    {"resnet200", 224, 3, bottleneck(k200)},
    {"resnet18d", 224, 3, d(basic(k26))},
    {"resnet34d", 224, 3, d(basic(k50))},
    {"resnet26d", 224, 3, d(bottleneck(k26))},
    {"resnet50d", 224, 3, d(bottleneck(k50))},
    {"resnet101d", 256, 3, d(bottleneck(k101))},
    {"resnet152d", 256, 3, d(bottleneck(k152))},
    {"resnet200d", 256, 3, d(bottleneck(k200))},
    {"resnet10t", 176, 3, t(basic(k14))},
    {"resnet14t", 176, 3, t(bottleneck(k14))},
    {"resnet26t", 256, 3, t(bottleneck(k26))},
    {"resnet50t", 224, 3, t(bottleneck(k50))},
    {"resnet50c", 224, 3, deep(bottleneck(k50))},
    {"resnet101c", 224, 3, deep(bottleneck(k101))},
    {"resnet152c", 224, 3, deep(bottleneck(k152))},
    {"resnet50s", 224, 3, deep(bottleneck(k50), 128)},
    {"resnet101s", 224, 3, deep(bottleneck(k101), 128)},
    {"resnet152s", 224, 3, deep(bottleneck(k152), 128)},
    {"wide_resnet50_2", 224, 3, wide(bottleneck(k50), 1, 128)},
    {"wide_resnet101_2", 224, 3, wide(bottleneck(k101), 1, 128)},
    {"resnext50_32x4d", 224, 3, wide(bottleneck(k50), 32, 4)},
    {"resnext50d_32x4d", 224, 3, d(wide(bottleneck(k50), 32, 4))},
    {"resnext101_32x4d", 224, 3, wide(bottleneck(k101), 32, 4)},
    {"resnext101_32x8d", 224, 3, wide(bottleneck(k101), 32, 8)},
    {"resnext101_32x16d", 224, 3, wide(bottleneck(k101), 32, 16)},
    {"resnext101_32x32d", 224, 3, wide(bottleneck(k101), 32, 32)},
    {"resnext101_64x4d", 224, 3, wide(bottleneck(k101), 64, 4)},
});

// Also timm/models/sknet.py, resnest.py, res2net.py.
constexpr auto kPlusNetworks = std::to_array<NamedNetwork<ResNetSpec>>({
    {"resnet50_gn", 224, 3, group_norm(bottleneck(k50))},
    {"ecaresnet26t", 256, 3, eca(t(bottleneck(k26)))},
    {"ecaresnet50d", 224, 3, eca(d(bottleneck(k50)))},
    {"ecaresnet50t", 256, 3, eca(t(bottleneck(k50)))},
    {"ecaresnetlight", 224, 3, eca(average_down(bottleneck({1, 1, 11, 3})))},
    {"ecaresnet101d", 224, 3, eca(d(bottleneck(k101)))},
    {"ecaresnet200d", 256, 3, eca(d(bottleneck(k200)))},
    {"ecaresnet269d", 320, 3, eca(d(bottleneck(k269)))},
    {"ecaresnext26t_32x4d", 224, 3, eca(t(wide(bottleneck(k26), 32, 4)))},
    {"ecaresnext50t_32x4d", 224, 3, eca(t(wide(bottleneck(k50), 32, 4)))},
    {"seresnet18", 224, 3, se(basic(k26))},
    {"seresnet34", 224, 3, se(basic(k50))},
    {"seresnet50", 224, 3, se(bottleneck(k50))},
    {"seresnet50t", 224, 3, se(t(bottleneck(k50)))},
    {"seresnet101", 224, 3, se(bottleneck(k101))},
    {"seresnet152", 224, 3, se(bottleneck(k152))},
    {"seresnet152d", 256, 3, se(d(bottleneck(k152)))},
    {"seresnet200d", 256, 3, se(d(bottleneck(k200)))},
    {"seresnet269d", 256, 3, se(d(bottleneck(k269)))},
    {"seresnext26d_32x4d", 224, 3, se(d(wide(bottleneck(k26), 32, 4)))},
    {"seresnext26t_32x4d", 224, 3, se(t(wide(bottleneck(k26), 32, 4)))},
    {"seresnext50_32x4d", 224, 3, se(wide(bottleneck(k50), 32, 4))},
    {"seresnext101_32x4d", 224, 3, se(wide(bottleneck(k101), 32, 4))},
    {"seresnext101_32x8d", 224, 3, se(wide(bottleneck(k101), 32, 8))},
    {"seresnext101d_32x8d", 224, 3, se(d(wide(bottleneck(k101), 32, 8)))},
    {"seresnext101_64x4d", 224, 3, se(wide(bottleneck(k101), 64, 4))},
    {"senet154", 224, 3, senet(deep(wide(bottleneck(k152), 64, 4), 128))},
    {"resnetblur18", 224, 3, blur(basic(k26))},
    {"resnetblur50", 224, 3, blur(bottleneck(k50))},
    {"resnetblur50d", 224, 3, blur(d(bottleneck(k50)))},
    {"resnetblur101d", 224, 3, blur(d(bottleneck(k101)))},
    {"resnetaa34d", 224, 3, aa(d(basic(k50)))},
    {"resnetaa50", 224, 3, aa(bottleneck(k50))},
    {"resnetaa50d", 224, 3, aa(d(bottleneck(k50)))},
    {"resnetaa101d", 224, 3, aa(d(bottleneck(k101)))},
    {"seresnetaa50d", 224, 3, aa(se(d(bottleneck(k50))))},
    {"seresnextaa101d_32x8d", 288, 3, aa(se(d(wide(bottleneck(k101), 32, 8))))},
    {"seresnextaa201d_32x8d",
     384,
     3,
     aa(se(d(wide(bottleneck({3, 24, 36, 4}), 32, 8), 128)))},
    {"resnetrs50", 160, 3, rs(k50)},
    {"resnetrs101", 192, 3, rs(k101)},
    {"resnetrs152", 256, 3, rs(k152)},
    {"resnetrs200", 256, 3, rs(k200)},
    {"resnetrs270", 256, 3, rs({4, 29, 53, 4})},
    {"resnetrs350", 288, 3, rs({4, 36, 72, 4})},
    {"resnetrs420", 320, 3, rs({4, 44, 87, 4})},
    {"skresnet18", 224, 3, sk(basic(k26), 1.0 / 8.0, 16)},
    {"skresnet34", 224, 3, sk(basic(k50), 1.0 / 8.0, 16)},
    {"skresnet50", 224, 3, sk(bottleneck(k50), 1.0 / 16.0, 8)},
    {"skresnet50d", 224, 3, sk(d(bottleneck(k50)), 1.0 / 16.0, 8)},
    {"skresnext50_32x4d",
     224,
     3,
     sk(wide(bottleneck(k50), 32, 4), 1.0 / 16.0, 32, /*split=*/false)},
    {"resnest14d", 224, 3, split(d(bottleneck(k14)))},
    {"resnest26d", 224, 3, split(d(bottleneck(k26)))},
    {"resnest50d", 224, 3, split(d(bottleneck(k50)))},
    {"resnest101e", 256, 3, split(d(bottleneck(k101), 128))},
    {"resnest200e", 320, 3, split(d(bottleneck(k200), 128))},
    {"resnest269e", 416, 3, split(d(bottleneck(k269), 128))},
    {"resnest50d_4s2x40d",
     224,
     3,
     split(d(wide(bottleneck(k50), 2, 40)), 4, /*average_first=*/true)},
    {"resnest50d_1s4x24d",
     224,
     3,
     split(d(wide(bottleneck(k50), 4, 24)), 1, /*average_first=*/true)},
    {"res2net50_26w_4s", 224, 3, scales(bottleneck(k50), 26, 4)},
    {"res2net101_26w_4s", 224, 3, scales(bottleneck(k101), 26, 4)},
    {"res2net50_26w_6s", 224, 3, scales(bottleneck(k50), 26, 6)},
    {"res2net50_26w_8s", 224, 3, scales(bottleneck(k50), 26, 8)},
    {"res2net50_48w_2s", 224, 3, scales(bottleneck(k50), 48, 2)},
    {"res2net50_14w_8s", 224, 3, scales(bottleneck(k50), 14, 8)},
    {"res2net50d", 224, 3, scales(d(bottleneck(k50)), 26, 4)},
    {"res2net101d", 224, 3, scales(d(bottleneck(k101)), 26, 4)},
    {"res2next50", 224, 3, scales(wide(bottleneck(k50), 8, 4), 4, 4)},
});

std::string describe(const ModelSpec& spec) {
  const auto& net = spec.get<ResNetSpec>();
  constexpr std::array kGates{"", ", squeeze-excitation", ", ECA"};
  constexpr std::array kMains{
      "", ", selective kernels", ", split attention", ", scales"};
  return fmt::format(
      "{} blocks of {} convolutions{}{}{}{}{}",
      std::accumulate(net.blocks.begin(), net.blocks.end(), std::int64_t{0}),
      net.bottleneck ? 3 : 2,
      net.stem == ResNetSpec::Stem::kPlain ? "" : ", deep stem",
      net.groups == 1 ? "" : fmt::format(", {} groups", net.groups),
      kGates.at(static_cast<std::size_t>(net.gate)),
      kMains.at(static_cast<std::size_t>(net.main)),
      net.norm_groups == 0 ? "" : ", GroupNorm");
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
  if (net.stem != ResNetSpec::Stem::kPlain) {
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

// Average pooling drops the last row and column of an odd side, but skip
// projections keep them; a blur mirrors at least one neighbouring row.
void check(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker) {
  switch (named.get<ResNetSpec>().smoothing) {
    case ResNetSpec::Smoothing::kNone:
      break;
    case ResNetSpec::Smoothing::kAverage:
      check_multiple(config, named, /*multiple=*/32, checker);
      break;
    case ResNetSpec::Smoothing::kBlur:
      check_least_side(config, named, /*least=*/17, checker);
      break;
  }
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
    .layers = {{0, "conv1|bn1|maxpool"}, {1, R"(layer(\d+)\.(\d+))"}},
    .any_image_size = true,
    .channels_last = true,
    // Convolutions copy tensors into their own layouts, and the allocator keeps
    // gaps that it cannot use.
    .memory_overhead = 1.8};

const Family kResNetPlus = [] {
  Family family = kResNet;
  family.name = "resnet_plus";
  family.list = names_in<resnet::kPlusNetworks>;
  family.find = find_in<resnet::kPlusNetworks>;
  family.check = resnet::check;
  family.activations = nullptr;
  return family;
}();

} // namespace vitrain::models
