#include "weights/position_grid.h"

#include <algorithm>
#include <cmath>

namespace vitrain::weights {
namespace {

using Shape = std::vector<std::int64_t>;

// Returns the side of a square grid with this many positions; 0 if the number
// is not a square.
std::int64_t side_of(std::int64_t places) {
  if (places <= 0) {
    return 0;
  }
  const auto side = static_cast<std::int64_t>(
      std::llround(std::sqrt(static_cast<double>(places))));
  return side * side == places ? side : 0;
}

// Grids of a file and of the model, if known.
struct Grids {
  std::optional<ImageSize> from;
  std::optional<ImageSize> to;
};

// Returns the grid with this many positions: `known` or, without it, a square;
// nullopt if that has another number of positions.
std::optional<ImageSize> grid_of(
    std::int64_t places,
    const std::optional<ImageSize>& known) {
  if (known) {
    return known->area() == places ? known : std::nullopt;
  }
  const std::int64_t side = side_of(places);
  return side > 0 ? std::optional(ImageSize(side)) : std::nullopt;
}

// Matches rows of both tensors as `extra` rows and a grid; nullopt if
// impossible.
std::optional<Positions> of_rows(
    Positions::Layout layout,
    std::int64_t given,
    std::int64_t own,
    std::int64_t extra,
    const Grids& grids) {
  const auto from = grid_of(given - extra, grids.from);
  const auto to = grid_of(own - extra, grids.to);
  if (!from || !to) {
    return std::nullopt;
  }
  return Positions{.layout = layout, .extra = extra, .from = *from, .to = *to};
}

std::optional<Positions>
tokens(const Shape& given, const Shape& own, const Grids& grids) {
  if (given[0] != 1 || own[0] != 1 || given[2] != own[2]) {
    return std::nullopt;
  }
  if (grids.to) {
    const std::int64_t extra = own[1] - grids.to->area();
    return extra < 0
        ? std::nullopt
        : of_rows(Positions::Layout::kTokens, given[1], own[1], extra, grids);
  }
  for (const std::int64_t extra : {1, 0, 2, 5, 4, 3, 6, 7, 8}) {
    if (auto found = of_rows(
            Positions::Layout::kTokens, given[1], own[1], extra, grids)) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Positions> plane(const Shape& given, const Shape& own) {
  using enum Positions::Layout;
  const bool first = given[1] == own[1];
  const bool last = given[3] == own[3];
  if (given[0] != 1 || own[0] != 1 || (!first && !last)) {
    return std::nullopt;
  }
  // If both layouts are possible because the grids have one side in common:
  // there are more channels than positions along a side.
  if (first && (!last || own[1] > own[3])) {
    return Positions{kChannelsFirst, 0, {given[2], given[3]}, {own[2], own[3]}};
  }
  return Positions{kChannelsLast, 0, {given[1], given[2]}, {own[1], own[2]}};
}

// Returns the numbers of vertical and horizontal distances within a window;
// nullopt for no window.
std::optional<ImageSize> table_of(const std::optional<ImageSize>& window) {
  return window
      ? std::optional(ImageSize(2 * window->height - 1, 2 * window->width - 1))
      : std::nullopt;
}

std::optional<Positions>
table(const Shape& given, const Shape& own, const Grids& windows) {
  if (given[1] != own[1]) {
    return std::nullopt;
  }
  const Grids grids{table_of(windows.from), table_of(windows.to)};
  // BEiT has 3 extra rows: to, from and between class tokens.
  for (const std::int64_t extra : {0, 3}) {
    if (auto found = of_rows(
            Positions::Layout::kTable, given[0], own[0], extra, grids)) {
      return found;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<Positions> positions_of(
    const std::string& name,
    const std::vector<std::int64_t>& given,
    const std::vector<std::int64_t>& own,
    const std::optional<ImageSize>& grid,
    const std::optional<ImageSize>& file_grid) {
  const Grids grids{file_grid, grid};
  const bool has_values =
      std::ranges::all_of(given, [](std::int64_t size) { return size > 0; });
  if (given.size() != own.size() || !has_values) {
    return std::nullopt;
  }
  if (name.ends_with("relative_position_bias_table") && own.size() == 2) {
    return table(given, own, grids);
  }
  if (!name.starts_with("pos_embed")) {
    return std::nullopt;
  }
  if (own.size() == 4) {
    return plane(given, own);
  }
  return own.size() == 3 ? tokens(given, own, grids) : std::nullopt;
}

} // namespace vitrain::weights
