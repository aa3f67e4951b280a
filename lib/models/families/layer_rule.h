#pragma once

#include <vector>

namespace vitrain::models {

// Rule that maps parameters to layers. Parameters whose name begins with a
// match of `pattern` get the key (`part`, the numbers that the pattern
// captures, `last`). Keys are ordered from the input to the output; equal keys
// are one layer.
struct LayerRule {
  double part = 0;
  const char* pattern = nullptr; // regular expression
  std::vector<double> last{};
  // Shifts the first captured number so that its largest value equals that of
  // the rule before, for two lists of parallel blocks.
  bool ends_together = false;
};

// Last element of LayerRule::last: the parameters join the previous layer.
inline constexpr double kWithPreviousLayer = 99999.0;

inline constexpr const char* kNumberedBlocks = R"(blocks\.(\d+))";
inline constexpr const char* kNumberedDownsamples =
    R"(stages\.(\d+)\.downsample)";
inline constexpr const char* kNumberedStageBlocks =
    R"(stages\.(\d+)\.blocks\.(\d+))";

// Returns rules for a stem, numbered blocks and the layers after them.
inline std::vector<LayerRule>
layers_in_blocks(const char* stem, const char* blocks, const char* end) {
  return {{0, stem}, {1, blocks}, {1, end, {kWithPreviousLayer}}};
}

// Returns rules for a stem, for stages of blocks that each begin with a
// downsampling layer, and for the layers after them.
inline std::vector<LayerRule> layers_in_stages(
    const char* stem,
    const char* downsample,
    const char* blocks,
    const char* end) {
  return {
      {0, stem},
      {1, downsample, {0}},
      {1, blocks},
      {1, end, {kWithPreviousLayer}}};
}

} // namespace vitrain::models
