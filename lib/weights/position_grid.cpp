#include "weights/position_grid.h"

#include <algorithm>
#include <cmath>

namespace vitrain::weights {
namespace {

using Shape = std::vector<std::int64_t>;

// 0: so many places are no square.
std::int64_t side_of(std::int64_t places) {
  if (places <= 0) {
    return 0;
  }
  const auto side = static_cast<std::int64_t>(
      std::llround(std::sqrt(static_cast<double>(places))));
  return side * side == places ? side : 0;
}

// Rows of a tensor as extra ones and a grid.
std::optional<Positions> of_rows(
    Positions::Layout layout,
    std::int64_t given,
    std::int64_t own,
    std::int64_t extra,
    const std::optional<ImageSize>& grid) {
  const std::int64_t from = side_of(given - extra);
  const std::int64_t to = side_of(own - extra);
  const bool fits = grid ? grid->area() == own - extra : to > 0;
  if (from == 0 || !fits) {
    return std::nullopt;
  }
  return Positions{
      .layout = layout,
      .extra = extra,
      .from = from,
      .to = grid.value_or(ImageSize(to))};
}

std::optional<Positions> tokens(
    const Shape& given,
    const Shape& own,
    const std::optional<ImageSize>& grid) {
  if (given[0] != 1 || own[0] != 1 || given[2] != own[2]) {
    return std::nullopt;
  }
  if (grid) {
    const std::int64_t extra = own[1] - grid->area();
    return extra < 0
        ? std::nullopt
        : of_rows(Positions::Layout::kTokens, given[1], own[1], extra, grid);
  }
  for (const std::int64_t extra : {1, 0, 2, 5, 4, 3, 6, 7, 8}) {
    if (auto found = of_rows(
            Positions::Layout::kTokens, given[1], own[1], extra, grid)) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Positions> plane(const Shape& given, const Shape& own) {
  using enum Positions::Layout;
  if (given[0] != 1 || own[0] != 1) {
    return std::nullopt;
  }
  if (given[1] == own[1]) {
    return Positions{kChannelsFirst, 0, {given[2], given[3]}, {own[2], own[3]}};
  }
  if (given[3] == own[3]) {
    return Positions{kChannelsLast, 0, {given[1], given[2]}, {own[1], own[2]}};
  }
  return std::nullopt;
}

std::optional<Positions> table(
    const Shape& given,
    const Shape& own,
    const std::optional<ImageSize>& window) {
  if (given[1] != own[1]) {
    return std::nullopt;
  }
  std::optional<ImageSize> grid;
  if (window) {
    grid = ImageSize(2 * window->height - 1, 2 * window->width - 1);
  }
  // BEiT's: to, from and between class tokens.
  for (const std::int64_t extra : {0, 3}) {
    if (auto found =
            of_rows(Positions::Layout::kTable, given[0], own[0], extra, grid)) {
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
    const std::optional<ImageSize>& grid) {
  const bool has_values =
      std::ranges::all_of(given, [](std::int64_t size) { return size > 0; });
  if (given.size() != own.size() || !has_values) {
    return std::nullopt;
  }
  if (name.ends_with("relative_position_bias_table") && own.size() == 2) {
    return table(given, own, grid);
  }
  if (!name.starts_with("pos_embed")) {
    return std::nullopt;
  }
  if (own.size() == 4) {
    return plane(given, own);
  }
  return own.size() == 3 ? tokens(given, own, grid) : std::nullopt;
}

} // namespace vitrain::weights
