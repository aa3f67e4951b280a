#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "pictures/drawing.h"
#include "pictures/font.h"
#include "results/evaluation_pictures.h"

namespace vitrain::results {
namespace {

using pictures::Align;
using pictures::Colour;
using pictures::Drawing;

constexpr std::int64_t kMostNamed = 60; // classes up to which names are drawn
constexpr std::int64_t kMostCells = 500; // cells per side, at 2 pixels each
// Pixels per side of a matrix without names.
constexpr std::int64_t kSide = 1000;
constexpr int kTop = 96;
constexpr int kTopWithoutHeading = 56; // height of the legend
constexpr int kMargin = 24;
constexpr double kSmall = 11;
constexpr double kWidestName = 170;
constexpr int kNarrowest = 560; // least width, for the heading

// Position of the matrix, and size of a class in it.
struct Grid {
  std::int64_t classes = 0;
  std::int64_t together = 1; // number of classes per cell
  int cell = 1; // pixels per cell
  bool named = false;
  int top = kTop; // top of the matrix
  double name_room = 0; // space for names at the left of and below the matrix
  double name_size = kSmall;

  int cells() const {
    return static_cast<int>((classes + together - 1) / together);
  }
  int side() const { return cell * cells(); }
  int left() const {
    return kMargin + 22 + static_cast<int>(std::ceil(name_room)) + 8;
  }
};

Grid grid_of(const std::vector<std::string>& classes, bool heading) {
  Grid grid{.classes = std::ssize(classes)};
  grid.top = heading ? kTop : kTopWithoutHeading;
  grid.named = grid.classes <= kMostNamed;
  grid.together = (grid.classes + kMostCells - 1) / kMostCells;
  const std::int64_t side = grid.named
      ? std::clamp<std::int64_t>(grid.classes * 44, 300, 840)
      : kSide;
  grid.cell = static_cast<int>(
      std::max<std::int64_t>(1, side / std::max(1, grid.cells())));
  grid.name_size = std::clamp(grid.cell * 0.75, 8.0, 12.0);
  grid.name_room = pictures::text_width("99,999", kSmall);
  if (grid.named) {
    grid.name_room = 0;
    for (const std::string& name : classes) {
      grid.name_room =
          std::max(grid.name_room, pictures::text_width(name, grid.name_size));
    }
    grid.name_room = std::min(grid.name_room, kWidestName);
  }
  return grid;
}

// Returns the colour of a cell: the paper's for 0; small fractions stay
// visible. report/page/report.css uses the same formula.
Colour colour_of(bool right, double share, const pictures::Palette& palette) {
  return share == 0
      ? palette.paper
      : pictures::between(
            palette.paper,
            right ? palette.right : palette.wrong,
            right ? 0.08 + 0.92 * share : 0.12 + 0.88 * std::pow(share, 0.55));
}

struct CellShare {
  double right = 0;
  double wrong = 0;
};

// Returns, for each cell, the largest fractions of a class's samples, row by
// row.
std::vector<CellShare> shares_of(const Confusion& confusion, const Grid& grid) {
  const auto cells = static_cast<std::size_t>(grid.cells());
  std::vector<CellShare> shares(cells * cells);
  for (const auto& [pair, times] : confusion.cells()) {
    const auto [label, prediction] = pair;
    const double share =
        static_cast<double>(times) /
        static_cast<double>(
            confusion.results()[static_cast<std::size_t>(label)].count);
    CellShare& cell = shares
        [static_cast<std::size_t>(label / grid.together) * cells +
         static_cast<std::size_t>(prediction / grid.together)];
    double& largest = label == prediction ? cell.right : cell.wrong;
    largest = std::max(largest, share);
  }
  return shares;
}

void draw_cells(
    Drawing& drawing,
    const Confusion& confusion,
    const Grid& grid,
    const pictures::Palette& palette) {
  const std::vector<CellShare> shares = shares_of(confusion, grid);
  const bool numbers = grid.named && grid.cell >= 26;
  const int gap = grid.named ? 1 : 0;
  for (int row = 0; row < grid.cells(); ++row) {
    for (int column = 0; column < grid.cells(); ++column) {
      const CellShare& cell = shares
          [static_cast<std::size_t>(row) *
               static_cast<std::size_t>(grid.cells()) +
           static_cast<std::size_t>(column)];
      const bool right = cell.right > 0;
      const double share = right ? cell.right : cell.wrong;
      const double left = grid.left() + column * grid.cell;
      const double top = grid.top + row * grid.cell;
      if (share > 0 || gap > 0) {
        drawing.fill(
            {left, top, 1.0 * grid.cell - gap, 1.0 * grid.cell - gap},
            share > 0 ? colour_of(right, share, palette) : palette.page);
      }
      if (numbers && share > 0) {
        const double shade = right ? share : std::sqrt(share);
        drawing.text(
            {left + grid.cell / 2.0, top + grid.cell / 2.0 + 4},
            std::to_string(confusion.at(row, column)),
            {.size = kSmall,
             .colour = shade > 0.55 ? palette.paper : palette.ink,
             .align = Align::kCentre});
      }
    }
  }
  if (gap == 0) {
    drawing.frame(
        {grid.left() - 1.0,
         grid.top - 1.0,
         grid.side() + 2.0,
         grid.side() + 2.0},
        palette.edge);
  }
}

// Returns 1, 2 or 5 times a power of ten, for about ten ticks.
std::int64_t tick_step(std::int64_t classes) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      if (classes / (power * factor) <= 12) {
        return power * factor;
      }
    }
  }
}

void draw_names(
    Drawing& drawing,
    const Grid& grid,
    const std::vector<std::string>& classes,
    const pictures::Palette& palette) {
  const std::int64_t step = grid.named ? 1 : tick_step(grid.classes);
  const pictures::TextStyle style{
      .size = grid.named ? grid.name_size : kSmall,
      .colour = grid.named ? palette.ink : palette.faint_ink,
      .align = Align::kRight};
  pictures::TextStyle below = style;
  below.turned = true;
  for (std::int64_t i = 0; i < grid.classes; i += step) {
    const double middle = grid.cell *
            (static_cast<double>(i) / static_cast<double>(grid.together)) +
        grid.cell / 2.0;
    const std::string name = grid.named
        ? pictures::fit_text(
              classes[static_cast<std::size_t>(i)], style.size, grid.name_room)
        : with_commas(i);
    drawing.text(
        {grid.left() - 7.0, grid.top + middle + style.size * 0.35},
        name,
        style);
    drawing.text(
        {grid.left() + middle + style.size * 0.35,
         grid.top + grid.side() + 7.0},
        name,
        below);
  }
  drawing.text(
      {kMargin + 12.0, grid.top + grid.side() / 2.0},
      "class",
      {.colour = palette.ink, .align = Align::kCentre, .turned = true});
  drawing.text(
      {grid.left() + grid.side() / 2.0,
       grid.top + grid.side() + grid.name_room + 32},
      "prediction",
      {.colour = palette.ink, .align = Align::kCentre});
}

void draw_legend(
    Drawing& drawing,
    double left,
    double top,
    const pictures::Palette& palette) {
  constexpr int kBar = 90;
  const auto scale = [&](const char* text, bool right) {
    drawing.text(
        {left, top + 9}, text, {.size = kSmall, .colour = palette.faint_ink});
    left += pictures::text_width(text, kSmall) + 6;
    for (int i = 0; i < kBar; ++i) {
      drawing.fill(
          {left + i, top, 1, 11}, colour_of(right, (i + 1.0) / kBar, palette));
    }
    left += kBar + 18;
  };
  scale("share of the class: right", true);
  scale("wrong", false);
}

void draw_heading(
    Drawing& drawing,
    const Confusion& confusion,
    std::int64_t classes,
    const pictures::Palette& palette) {
  drawing.text(
      {kMargin, 34},
      fmt::format("Confusion of {} classes", with_commas(classes)),
      {.size = 18, .colour = palette.ink});
  drawing.text(
      {kMargin, 54},
      fmt::format(
          "{} of {} right ({:.2f} %), {:.2f} % on average over the classes",
          with_commas(confusion.correct()),
          with_commas(confusion.count()),
          100 * confusion.accuracy(),
          100 * confusion.mean_accuracy()),
      {.colour = palette.faint_ink});
}

} // namespace

image::Image draw_confusion(
    const Confusion& confusion,
    const std::vector<std::string>& classes,
    const ConfusionStyle& style) {
  constexpr double kLegend = 31; // from the top of the legend to the matrix
  const pictures::Palette& palette = style.palette;
  const Grid grid = grid_of(classes, style.heading);
  Drawing drawing(
      std::max(grid.left() + grid.side() + kMargin, kNarrowest),
      grid.top + grid.side() + static_cast<int>(std::ceil(grid.name_room)) + 52,
      palette.paper);
  if (style.heading) {
    draw_heading(drawing, confusion, grid.classes, palette);
  }
  draw_legend(drawing, kMargin, grid.top - kLegend, palette);
  draw_cells(drawing, confusion, grid, palette);
  draw_names(drawing, grid, classes, palette);
  return drawing.image();
}

} // namespace vitrain::results
