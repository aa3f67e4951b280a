#pragma once

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// Sizes of a CoaT, by stage.
struct CoatSpec {
  using Stages = std::array<std::int64_t, 4>;
  Stages widths{}; // multiples of 8, the number of heads
  Stages depths{}; // numbers of serial blocks
  Stages mlp_ratios{4, 4, 4, 4};
  // Number of parallel blocks over the last three scales, which have the same
  // width. 0: the classifier uses the last scale alone.
  std::int64_t parallel_depth = 0;
};

namespace coat {

inline constexpr std::int64_t kPatch = 4;
// Side of a token of the last scale, in pixels of the image.
inline constexpr std::int64_t kStride = 32;

inline constexpr CoatSpec::Stages kTwoEach{2, 2, 2, 2};
inline constexpr CoatSpec::Stages kWideFirst{8, 8, 4, 4};
inline constexpr CoatSpec kMedium{{128, 256, 320, 512}, {3, 6, 10, 8}};

constexpr CoatSpec parallel(std::int64_t width) {
  return {
      .widths = {152, width, width, width},
      .depths = kTwoEach,
      .parallel_depth = 6};
}

// Networks of timm 1.0 (timm/models/coat.py).
inline constexpr auto kNetworks = std::to_array<NamedNetwork<CoatSpec>>({
    {"coat_lite_tiny", 224, 3, {{64, 128, 256, 320}, kTwoEach, kWideFirst}},
    {"coat_lite_mini", 224, 3, {{64, 128, 320, 512}, kTwoEach, kWideFirst}},
    {"coat_lite_small",
     224,
     3,
     {{64, 128, 320, 512}, {3, 4, 6, 3}, kWideFirst}},
    {"coat_lite_medium", 224, 3, kMedium},
    {"coat_lite_medium_384", 384, 3, kMedium},
    {"coat_tiny", 224, 3, parallel(152)},
    {"coat_mini", 224, 3, parallel(216)},
    {"coat_small", 224, 3, parallel(320)},
});

} // namespace coat

// CoaT (Xu et al., "Co-scale conv-attentional image transformers", ICCV 2021).
inline const Family kCoat{
    .name = "coat",
    .list = names_in<coat::kNetworks>,
    .find = find_in<coat::kNetworks>,
    .options = drop_path_option,
    .check =
        [](const config::ModelConfig& config,
           const ModelSpec& named,
           config::Checker& checker) {
          if (named.get<CoatSpec>().parallel_depth > 0) {
            // Each scale must be exactly half the previous one.
            check_multiple(config, named, coat::kStride, checker);
          } else {
            check_least_side(config, named, coat::kStride, checker);
          }
        },
    .describe =
        [](const ModelSpec& spec) {
          const std::int64_t parallel = spec.get<CoatSpec>().parallel_depth;
          return describe_stages<CoatSpec>(spec) +
              (parallel > 0 ? fmt::format(" and {} parallel", parallel) : "");
        },
    .identity = channels_identity,
    .layers =
        {{0, "cls_token1|patch_embed1|crpe1|cpe1"},
         {1, R"(serial_blocks1\.(\d+))"},
         {2, "cls_token2|patch_embed2|crpe2|cpe2"},
         {3, R"(serial_blocks2\.(\d+))"},
         {4, "cls_token3|patch_embed3|crpe3|cpe3"},
         {5, R"(serial_blocks3\.(\d+))"},
         {6, "cls_token4|patch_embed4|crpe4|cpe4"},
         {7, R"(serial_blocks4\.(\d+))"},
         {8, R"(parallel_blocks\.(\d+))"},
         {8, "norm|aggregate", {kWithPreviousLayer}}},
    .channels_last = true};

} // namespace vitrain::models
