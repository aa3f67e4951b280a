#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options/image_size.h"

// Tensors with a row for each place of a grid over the image, which a model for
// another image size has for another grid.
namespace vitrain::weights {

struct Positions {
  enum class Layout {
    kTokens, // [1, extra + H * W, C]: in front, tokens without place
    kChannelsFirst, // [1, C, H, W]
    kChannelsLast, // [1, H, W, C]
    kTable, // [(2h - 1) * (2w - 1) + extra, heads], H = 2h - 1: of windows
  };

  Layout layout = Layout::kTokens;
  std::int64_t extra = 0; // rows without place: both tensors have them
  ImageSize from; // grids: the file's ...
  ImageSize to; // ... and the model's
};

// Returns the resampling of a file's position tensor to the model's grid;
// nullopt for other tensors. `grid` is the model's grid (for kTable its
// window), `file_grid` the file's, if known; otherwise grids are assumed to be
// square.
std::optional<Positions> positions_of(
    const std::string& name,
    const std::vector<std::int64_t>& given,
    const std::vector<std::int64_t>& own,
    const std::optional<ImageSize>& grid = {},
    const std::optional<ImageSize>& file_grid = {});

} // namespace vitrain::weights
