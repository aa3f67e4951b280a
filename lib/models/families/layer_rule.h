#pragma once

#include <vector>

namespace vitrain::models {

// Maps parameters to layers. Names that begin with a match of `pattern` belong
// to part `part`, counted from the input, ordered by the numbers that the
// pattern captures, then by `last`.
struct LayerRule {
  double part = 0;
  const char* pattern = nullptr; // a regular expression
  std::vector<double> last{};
  // Aligns the largest first captured number with that of the rule before, for
  // two kinds of parallel blocks.
  bool ends_together = false;
};

// Value of LayerRule::last that joins the previous layer.
inline constexpr double kWithPreviousLayer = 99999.0;

inline constexpr const char* kNumberedBlocks = R"(blocks\.(\d+))";
inline constexpr const char* kNumberedDownsamples =
    R"(stages\.(\d+)\.downsample)";
inline constexpr const char* kNumberedStageBlocks =
    R"(stages\.(\d+)\.blocks\.(\d+))";

// Rules for a stem, numbered blocks and the layers after them.
inline std::vector<LayerRule>
layers_in_blocks(const char* stem, const char* blocks, const char* end) {
  return {{0, stem}, {1, blocks}, {1, end, {kWithPreviousLayer}}};
}

// Rules for a stem, stages of blocks that each begin with a downsampling layer,
// and the layers after them.
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
