#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a ConvMixer.
struct ConvMixerSpec {
  std::int64_t width = 768;
  std::int64_t depth = 32;
  std::int64_t kernel = 9; // side of the depthwise convolutions' kernel; odd
  std::int64_t patch_size = 7;
  bool relu = false; // ReLU instead of GELU
};

namespace convmixer {

// Networks of timm 1.0 (timm/models/convmixer.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<ConvMixerSpec>>({
    {"convmixer_768_32", 224, 3, {768, 32, 7, 7, true}},
    {"convmixer_1024_20_ks9_p14", 224, 3, {1024, 20, 9, 14}},
    {"convmixer_1536_20", 224, 3, {1536, 20, 9, 7}},
});

} // namespace convmixer

// ConvMixer (Trockman and Kolter, "Patches are all you need?", TMLR 2023):
// alternating depthwise and pointwise convolutions over patches, without
// downsampling. Pixels beyond the last whole patch are ignored.
inline const Family kConvMixer{
    .name = "convmixer",
    .list = names_in<convmixer::kNetworks>,
    .find = find_in<convmixer::kNetworks>,
    .check =
        [](const config::ModelConfig& config,
           const ModelSpec& named,
           config::Checker& checker) {
          check_least_side(
              config, named, named.get<ConvMixerSpec>().patch_size, checker);
        },
    .describe =
        [](const ModelSpec& spec) {
          const auto& net = spec.get<ConvMixerSpec>();
          return fmt::format(
              "width {}, depth {}, {}x{} kernels, {}x{} patches",
              net.width,
              net.depth,
              net.kernel,
              net.kernel,
              net.patch_size,
              net.patch_size);
        },
    .identity = channels_identity,
    .layers = {{0, "stem"}, {1, kNumberedBlocks}},
    .any_image_size = true,
    .channels_last = true};

} // namespace vitrain::models
