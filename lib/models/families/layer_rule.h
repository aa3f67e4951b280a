#pragma once

#include <vector>

namespace vitrain::models {

// The parameters whose names begin with a match of `pattern` stand in part
// `part`, counted from the input on, and there in the order of the numbers that
// it captures, then of `last`.
struct LayerRule {
  double part = 0;
  const char* pattern = nullptr; // a regular expression
  std::vector<double> last{};
  // Its first captured numbers end where those of the rule before end: two
  // kinds of blocks that stand beside each other.
  bool ends_together = false;
};

// As LayerRule::last: part of the layer before it.
inline constexpr double kWithPreviousLayer = 99999.0;

inline constexpr const char* kNumberedBlocks = R"(blocks\.(\d+))";
inline constexpr const char* kNumberedDownsamples =
    R"(stages\.(\d+)\.downsample)";
inline constexpr const char* kNumberedStageBlocks =
    R"(stages\.(\d+)\.blocks\.(\d+))";

// A stem, numbered blocks and what stands behind them.
inline std::vector<LayerRule>
layers_in_blocks(const char* stem, const char* blocks, const char* end) {
  return {{0, stem}, {1, blocks}, {1, end, {kWithPreviousLayer}}};
}

// The same in stages that begin with a layer of their own.
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
