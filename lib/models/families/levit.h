#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a LeViT, by stage.
struct LevitSpec {
  using Stages = std::array<std::int64_t, 3>;
  Stages widths{};
  Stages depths{};
  Stages heads{};
  std::int64_t key_width = 32; // width of a head's queries and keys
  std::int64_t stem_stride = 16; // pixels per side of a token: 16 or 8
  bool distilled = true; // two heads; see ModelSpec::heads_apart
  bool silu = false; // SiLU instead of hard-swish
  // Weights of linear layers have the shape of convolutions: [out, in, 1, 1].
  bool conv = false;
};

namespace levit {

constexpr LevitSpec conv(LevitSpec spec) {
  spec.conv = true;
  return spec;
}

inline constexpr LevitSpec k128s{
    .widths = {128, 256, 384},
    .depths = {2, 3, 4},
    .heads = {4, 6, 8},
    .key_width = 16};
inline constexpr LevitSpec k128{
    .widths = {128, 256, 384},
    .depths = {4, 4, 4},
    .heads = {4, 8, 12},
    .key_width = 16};
inline constexpr LevitSpec k192{
    .widths = {192, 288, 384},
    .depths = {4, 4, 4},
    .heads = {3, 5, 6}};
inline constexpr LevitSpec k256{
    .widths = {256, 384, 512},
    .depths = {4, 4, 4},
    .heads = {4, 6, 8}};
inline constexpr LevitSpec k256d{
    .widths = {256, 384, 512},
    .depths = {4, 8, 6},
    .heads = {4, 6, 8},
    .distilled = false,
    .silu = true};
inline constexpr LevitSpec k384{
    .widths = {384, 512, 768},
    .depths = {4, 4, 4},
    .heads = {6, 9, 12}};
inline constexpr LevitSpec k384s8{
    .widths = {384, 512, 768},
    .depths = {4, 4, 4},
    .heads = {6, 9, 12},
    .stem_stride = 8,
    .silu = true};
inline constexpr LevitSpec k512{
    .widths = {512, 768, 1024},
    .depths = {4, 4, 4},
    .heads = {8, 12, 16},
    .key_width = 64,
    .distilled = false,
    .silu = true};
inline constexpr LevitSpec k512d{
    .widths = {512, 640, 768},
    .depths = {4, 8, 6},
    .heads = {8, 10, 12},
    .key_width = 64,
    .distilled = false,
    .silu = true};
inline constexpr LevitSpec k512s8{
    .widths = {512, 640, 896},
    .depths = {4, 4, 4},
    .heads = {8, 10, 14},
    .key_width = 64,
    .stem_stride = 8,
    .distilled = false,
    .silu = true};

// Networks of timm 1.0 (timm/models/levit.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<LevitSpec>>({
    {"levit_128s", 224, 3, k128s},
    {"levit_128", 224, 3, k128},
    {"levit_192", 224, 3, k192},
    {"levit_256", 224, 3, k256},
    {"levit_256d", 224, 3, k256d},
    {"levit_384", 224, 3, k384},
    {"levit_384_s8", 224, 3, k384s8},
    {"levit_512", 224, 3, k512},
    {"levit_512d", 224, 3, k512d},
    {"levit_512_s8", 224, 3, k512s8},
    {"levit_conv_128s", 224, 3, conv(k128s)},
    {"levit_conv_128", 224, 3, conv(k128)},
    {"levit_conv_192", 224, 3, conv(k192)},
    {"levit_conv_256", 224, 3, conv(k256)},
    {"levit_conv_256d", 224, 3, conv(k256d)},
    {"levit_conv_384", 224, 3, conv(k384)},
    {"levit_conv_384_s8", 224, 3, conv(k384s8)},
    {"levit_conv_512", 224, 3, conv(k512)},
    {"levit_conv_512d", 224, 3, conv(k512d)},
    {"levit_conv_512_s8", 224, 3, conv(k512s8)},
});

} // namespace levit

// LeViT (Graham et al., "LeViT: a vision transformer in ConvNet's clothing for
// faster inference", ICCV 2021).
inline const Family kLevit{
    .name = "levit",
    .list = names_in<levit::kNetworks>,
    .find = find_in<levit::kNetworks>,
    .options = drop_path_option,
    .check =
        [](const config::ModelConfig& config,
           const ModelSpec& named,
           config::Checker& checker) {
          check_multiple(
              config, named, named.get<LevitSpec>().stem_stride, checker);
        },
    .describe =
        [](const ModelSpec& spec) {
          return fmt::format(
              "{}, stride {}",
              describe_stages<LevitSpec>(spec),
              spec.get<LevitSpec>().stem_stride);
        },
    .identity = image_identity,
    .classifier = {"head.", "head_dist."},
    .layers =
        {{0, "stem"},
         {1, kNumberedDownsamples, {0}},
         {1, kNumberedStageBlocks}},
    .two_heads =
        [](const ModelSpec& spec) { return spec.get<LevitSpec>().distilled; },
    .channels_last = true};

} // namespace vitrain::models
