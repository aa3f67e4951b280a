#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes and options of a ConvNeXt.
struct ConvNeXtSpec {
  enum class Stem {
    kPatch, // one 4x4 convolution
    kOverlap, // two 3x3 convolutions, both of full width
    kTiered, // two 3x3 convolutions, the first of half the width
  };
  std::array<std::int64_t, 4> depths{};
  std::array<std::int64_t, 4> widths{};
  bool v2 = false; // global response normalisation instead of LayerScale
  // Weights of the MLPs have the shape of convolutions: [out, in, 1, 1].
  bool conv_mlp = false;
  Stem stem = Stem::kPatch;
  // Width of a hidden layer in the classifier head; 0: none.
  std::int64_t head_hidden = 0;
  bool head_norm_first = false; // normalise before pooling instead of after
  double norm_eps = 1e-6;
};

namespace convnext {

using Widths = std::array<std::int64_t, 4>;
using Named = NamedNetwork<ConvNeXtSpec>;

inline constexpr Widths kTiny{96, 192, 384, 768};
inline constexpr Widths kBase{128, 256, 512, 1024};
inline constexpr Widths kLarge{192, 384, 768, 1536};
inline constexpr Widths kDepths{3, 3, 9, 3};
inline constexpr Widths kDeep{3, 3, 27, 3};
inline constexpr Widths kShallow{2, 2, 6, 2};
inline constexpr Widths kAtto{40, 80, 160, 320};
inline constexpr Widths kFemto{48, 96, 192, 384};
inline constexpr Widths kPico{64, 128, 256, 512};
inline constexpr Widths kNano{80, 160, 320, 640};

constexpr Named
small(const char* name, Widths depths, Widths widths, ConvNeXtSpec::Stem stem) {
  return {
      name,
      224,
      3,
      {.depths = depths, .widths = widths, .conv_mlp = true, .stem = stem}};
}

constexpr Named plain(const char* name, Widths depths, Widths widths) {
  return {name, 224, 3, {.depths = depths, .widths = widths}};
}

constexpr Named
v2(const char* name, Widths depths, Widths widths, bool conv_mlp = false) {
  return {
      name,
      224,
      3,
      {.depths = depths, .widths = widths, .v2 = true, .conv_mlp = conv_mlp}};
}

using enum ConvNeXtSpec::Stem;

// Networks of timm 1.0 (timm/models/convnext.py).
inline constexpr auto kNetworks = std::to_array<Named>({
    small("convnext_atto", kShallow, kAtto, kPatch),
    small("convnext_atto_ols", kShallow, kAtto, kTiered),
    small("convnext_femto", kShallow, kFemto, kPatch),
    small("convnext_femto_ols", kShallow, kFemto, kTiered),
    small("convnext_pico", kShallow, kPico, kPatch),
    small("convnext_pico_ols", kShallow, kPico, kTiered),
    small("convnext_nano", {2, 2, 8, 2}, kNano, kPatch),
    small("convnext_nano_ols", {2, 2, 8, 2}, kNano, kOverlap),
    {"convnext_tiny_hnf",
     224,
     3,
     {.depths = kDepths,
      .widths = kTiny,
      .conv_mlp = true,
      .head_norm_first = true}},
    plain("convnext_tiny", kDepths, kTiny),
    plain("convnext_small", kDeep, kTiny),
    plain("convnext_base", kDeep, kBase),
    plain("convnext_large", kDeep, kLarge),
    {"convnext_large_mlp",
     320,
     3,
     {.depths = kDeep, .widths = kLarge, .head_hidden = 1536}},
    plain("convnext_xlarge", kDeep, {256, 512, 1024, 2048}),
    {"convnext_xxlarge",
     256,
     3,
     {.depths = {3, 4, 30, 3},
      .widths = {384, 768, 1536, 3072},
      .norm_eps = 1e-5}},
    v2("convnextv2_atto", kShallow, kAtto, true),
    v2("convnextv2_femto", kShallow, kFemto, true),
    v2("convnextv2_pico", kShallow, kPico, true),
    v2("convnextv2_nano", {2, 2, 8, 2}, kNano, true),
    v2("convnextv2_tiny", kDepths, kTiny),
    v2("convnextv2_small", kDeep, kTiny),
    v2("convnextv2_base", kDeep, kBase),
    v2("convnextv2_large", kDeep, kLarge),
    {"convnextv2_huge",
     384,
     3,
     {.depths = kDeep, .widths = {352, 704, 1408, 2816}, .v2 = true}},
});

} // namespace convnext

// ConvNeXt (Liu et al., "A ConvNet for the 2020s", CVPR 2022) and ConvNeXt V2
// (Woo et al., CVPR 2023), in four stages.
inline const Family kConvNeXt{
    .name = "convnext",
    .list = names_in<convnext::kNetworks>,
    .find = find_in<convnext::kNetworks>,
    .options = drop_path_option,
    .check = check_least<32>,
    .describe = describe_stages<ConvNeXtSpec>,
    .identity = channels_identity,
    .classifier = {"head.fc."},
    .layers = layers_in_stages(
        "stem",
        kNumberedDownsamples,
        kNumberedStageBlocks,
        "norm_pre"),
    .any_image_size = true,
    .memory_overhead = 1.35};

} // namespace vitrain::models
