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
  // Shifts the first captured numbers so that their maximum equals that of the
  // rule before: the last blocks of both lists share layers.
  bool ends_together = false;
};

// Last element of LayerRule::last: the parameters join the previous layer.
inline constexpr double kWithPreviousLayer = 99999.0;

inline constexpr const char* kNumberedBlocks = R"(blocks\.(\d+))";
inline constexpr const char* kNumberedDownsamples =
    R"(stages\.(\d+)\.downsample)";
inline constexpr const char* kNumberedStageBlocks =
    R"(stages\.(\d+)\.blocks\.(\d+))";

// Returns rules for a stem (layer 0), numbered blocks (a layer each), and the
// parameters after them, which join the last block's layer. Arguments are
// patterns of parameter names.
inline std::vector<LayerRule>
layers_in_blocks(const char* stem, const char* blocks, const char* end) {
  return {{0, stem}, {1, blocks}, {1, end, {kWithPreviousLayer}}};
}

// Returns rules as layers_in_blocks(), for stages of blocks. A stage's
// downsampling shares the layer of the stage's first block.
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
