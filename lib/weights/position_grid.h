#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options/image_size.h"

// Resampling of a tensor with a row for each position of a grid over the image,
// for a model with another grid.
namespace vitrain::weights {

struct Positions {
  enum class Layout {
    kTokens, // [1, extra + H * W, C]: first the tokens without a grid position
    kChannelsFirst, // [1, C, H, W]
    kChannelsLast, // [1, H, W, C]
    // Table of relative positions in a window h x w: [(2h - 1) * (2w - 1) +
    // extra, heads], a grid of H = 2h - 1.
    kTable,
  };

  Layout layout = Layout::kTokens;
  // Number of rows without a grid position, equal in both tensors.
  std::int64_t extra = 0;
  ImageSize from; // the file's grid
  ImageSize to; // the model's grid
};

// Returns the resampling of a file's position tensor `name` of shape `given` to
// the model's tensor of shape `own`; nullopt for other tensors, and if the
// shapes fit no grids. `grid` is the model's grid (for kTable its window),
// `file_grid` the file's, if known; otherwise grids are assumed to be square.
std::optional<Positions> positions_of(
    const std::string& name,
    const std::vector<std::int64_t>& given,
    const std::vector<std::int64_t>& own,
    const std::optional<ImageSize>& grid = {},
    const std::optional<ImageSize>& file_grid = {});

} // namespace vitrain::weights
