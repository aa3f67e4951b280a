#include "models/families/efficientnet.h"

#include <fmt/format.h>

#include "models/families/multiple_of_8.h"

namespace vitrain::models {
namespace efficientnet {
namespace {

using Spec = EfficientNetSpec;
using Named = NamedNetwork<EfficientNetSpec>;
using enum EfficientNetSpec::Block;

constexpr std::int64_t rounded_up(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) < number ? whole + 1 : whole;
}

constexpr Spec kB0{
    .stages = {
        {{kSeparable, 1, 3, 1, 1, 16, true},
         {kInverted, 2, 3, 2, 6, 24, true},
         {kInverted, 2, 5, 2, 6, 40, true},
         {kInverted, 3, 3, 2, 6, 80, true},
         {kInverted, 3, 5, 1, 6, 112, true},
         {kInverted, 4, 5, 2, 6, 192, true},
         {kInverted, 1, 3, 1, 6, 320, true}}}};

constexpr Spec kV2Base{
    .stages = {
        {{kPlain, 1, 3, 1, 1, 16},
         {kFused, 2, 3, 2, 4, 32},
         {kFused, 2, 3, 2, 4, 48},
         {kInverted, 3, 3, 2, 4, 96, true},
         {kInverted, 5, 3, 1, 6, 112, true},
         {kInverted, 8, 3, 2, 6, 192, true}}}};

constexpr Spec kV2Small{
    .stages =
        {{{kPlain, 2, 3, 1, 1, 24},
          {kFused, 4, 3, 2, 4, 48},
          {kFused, 4, 3, 2, 4, 64},
          {kInverted, 6, 3, 2, 4, 128, true},
          {kInverted, 9, 3, 1, 6, 160, true},
          {kInverted, 15, 3, 2, 6, 256, true}}},
    .stem = 24};

constexpr Spec kV2Medium{
    .stages =
        {{{kPlain, 3, 3, 1, 1, 24},
          {kFused, 5, 3, 2, 4, 48},
          {kFused, 5, 3, 2, 4, 80},
          {kInverted, 7, 3, 2, 4, 160, true},
          {kInverted, 14, 3, 1, 6, 176, true},
          {kInverted, 18, 3, 2, 6, 304, true},
          {kInverted, 5, 3, 1, 6, 512, true}}},
    .stem = 24};

constexpr Spec kV2Large{
    .stages = {
        {{kPlain, 4, 3, 1, 1, 32},
         {kFused, 7, 3, 2, 4, 64},
         {kFused, 7, 3, 2, 4, 96},
         {kInverted, 10, 3, 2, 4, 192, true},
         {kInverted, 19, 3, 1, 6, 224, true},
         {kInverted, 25, 3, 2, 6, 384, true},
         {kInverted, 7, 3, 1, 6, 640, true}}}};

constexpr Spec kV2Huge{
    .stages = {
        {{kPlain, 4, 3, 1, 1, 32},
         {kFused, 8, 3, 2, 4, 64},
         {kFused, 8, 3, 2, 4, 96},
         {kInverted, 16, 3, 2, 4, 192, true},
         {kInverted, 24, 3, 1, 6, 256, true},
         {kInverted, 32, 3, 2, 6, 512, true},
         {kInverted, 8, 3, 1, 6, 640, true}}}};

// Returns `net` with channels multiplied by `width` and numbers of blocks by
// `depth`, rounded.
constexpr Spec
scaled(Spec net, double width, double depth, double least = 0.9) {
  for (Spec::Stage& stage : net.stages) {
    stage.width =
        multiple_of_8(static_cast<double>(stage.width) * width, least);
    stage.repeats = rounded_up(static_cast<double>(stage.repeats) * depth);
  }
  net.stem = multiple_of_8(static_cast<double>(net.stem) * width, least);
  net.head = multiple_of_8(static_cast<double>(net.head) * width, least);
  return net;
}

// Returns EfficientNet-Lite: no squeeze-excitation; stem, head and the number
// of blocks of the first and last stage are not scaled.
constexpr Spec lite(double width, double depth) {
  Spec net = scaled(kB0, width, depth);
  for (Spec::Stage& stage : net.stages) {
    stage.squeeze = false;
  }
  net.stages.front().repeats = kB0.stages.front().repeats;
  net.stages.back().repeats = kB0.stages.back().repeats;
  net.stem = kB0.stem;
  net.head = kB0.head;
  net.relu6 = true;
  return net;
}

// Returns `net` with the padding and BatchNorm eps of TensorFlow.
constexpr Spec tf(Spec net) {
  net.same_padding = true;
  net.norm_eps = 1e-3;
  return net;
}

constexpr Spec b(double width, double depth) {
  return scaled(kB0, width, depth);
}

constexpr Spec v2(double width, double depth) {
  return scaled(kV2Base, width, depth, /*least=*/0.0);
}

// Networks of timm 1.0 (timm/models/efficientnet.py).
constexpr auto kNetworks = std::to_array<Named>({
    {"efficientnet_b0", 224, 3, b(1.0, 1.0)},
    {"efficientnet_b1", 240, 3, b(1.0, 1.1)},
    {"efficientnet_b2", 256, 3, b(1.1, 1.2)},
    {"efficientnet_b3", 288, 3, b(1.2, 1.4)},
    {"efficientnet_b4", 320, 3, b(1.4, 1.8)},
    {"efficientnet_b5", 448, 3, b(1.6, 2.2)},
    {"efficientnet_b6", 528, 3, b(1.8, 2.6)},
    {"efficientnet_b7", 600, 3, b(2.0, 3.1)},
    {"efficientnet_b8", 672, 3, b(2.2, 3.6)},
    {"efficientnet_l2", 800, 3, b(4.3, 5.3)},
    {"tf_efficientnet_b0", 224, 3, tf(b(1.0, 1.0))},
    {"tf_efficientnet_b1", 240, 3, tf(b(1.0, 1.1))},
    {"tf_efficientnet_b2", 260, 3, tf(b(1.1, 1.2))},
    {"tf_efficientnet_b3", 300, 3, tf(b(1.2, 1.4))},
    {"tf_efficientnet_b4", 380, 3, tf(b(1.4, 1.8))},
    {"tf_efficientnet_b5", 456, 3, tf(b(1.6, 2.2))},
    {"tf_efficientnet_b6", 528, 3, tf(b(1.8, 2.6))},
    {"tf_efficientnet_b7", 600, 3, tf(b(2.0, 3.1))},
    {"tf_efficientnet_b8", 672, 3, tf(b(2.2, 3.6))},
    {"tf_efficientnet_l2", 475, 3, tf(b(4.3, 5.3))},
    {"efficientnet_lite0", 224, 3, lite(1.0, 1.0)},
    {"efficientnet_lite1", 240, 3, lite(1.0, 1.1)},
    {"efficientnet_lite2", 260, 3, lite(1.1, 1.2)},
    {"efficientnet_lite3", 300, 3, lite(1.2, 1.4)},
    {"efficientnet_lite4", 380, 3, lite(1.4, 1.8)},
    {"tf_efficientnet_lite0", 224, 3, tf(lite(1.0, 1.0))},
    {"tf_efficientnet_lite1", 240, 3, tf(lite(1.0, 1.1))},
    {"tf_efficientnet_lite2", 260, 3, tf(lite(1.1, 1.2))},
    {"tf_efficientnet_lite3", 300, 3, tf(lite(1.2, 1.4))},
    {"tf_efficientnet_lite4", 380, 3, tf(lite(1.4, 1.8))},
    {"tf_efficientnetv2_b0", 192, 3, tf(v2(1.0, 1.0))},
    {"tf_efficientnetv2_b1", 192, 3, tf(v2(1.0, 1.1))},
    {"tf_efficientnetv2_b2", 208, 3, tf(v2(1.1, 1.2))},
    {"tf_efficientnetv2_b3", 240, 3, tf(v2(1.2, 1.4))},
    {"efficientnetv2_s", 288, 3, kV2Small},
    {"efficientnetv2_m", 320, 3, kV2Medium},
    {"efficientnetv2_l", 384, 3, kV2Large},
    {"efficientnetv2_xl", 384, 3, kV2Huge},
    {"tf_efficientnetv2_s", 300, 3, tf(kV2Small)},
    {"tf_efficientnetv2_m", 384, 3, tf(kV2Medium)},
    {"tf_efficientnetv2_l", 384, 3, tf(kV2Large)},
    {"tf_efficientnetv2_xl", 384, 3, tf(kV2Huge)},
});

} // namespace
} // namespace efficientnet

const Family kEfficientNet{
    .name = "efficientnet",
    .list = names_in<efficientnet::kNetworks>,
    .find = find_in<efficientnet::kNetworks>,
    .options = drop_path_option,
    .check = check_least<32>,
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<EfficientNetSpec>();
          return fmt::format(
              "{} inverted residual blocks, {}",
              net.blocks(),
              net.relu6 ? "ReLU6" : "SiLU");
        },
    .identity = channels_identity,
    .classifier = {"classifier."},
    .layers = layers_in_blocks(
        "conv_stem|bn1",
        R"(blocks\.(\d+)\.(\d+))",
        "conv_head|bn2"),
    .any_image_size = true,
    .channels_last = true,
    .memory_overhead = 1.35};

} // namespace vitrain::models
