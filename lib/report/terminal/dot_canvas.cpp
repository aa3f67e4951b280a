#include "report/terminal/dot_canvas.h"

#include <array>
#include <cstddef>
#include <cstdlib>

namespace vitrain::report {
namespace {

// Bits of the characters U+2800..U+28FF, by column and row of the dot (Unicode
// 15.0, 21.1).
constexpr std::array<std::array<std::uint8_t, 4>, 2> kBrailleBits{
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

// Returns U+2800 + bits in UTF-8.
std::string braille(std::uint8_t bits) {
  return {
      static_cast<char>(0xE2),
      static_cast<char>(0xA0 | (bits >> 6)),
      static_cast<char>(0x80 | (bits & 0x3F))};
}

} // namespace

DotCanvas::DotCanvas(int columns, int rows, const logging::TerminalStyle& style)
    : columns_(columns),
      rows_(rows),
      style_(style),
      across_(style.unicode ? 2 : 1),
      down_(style.unicode ? 4 : 2),
      cells_(
          static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

DotCanvas::Cell* DotCanvas::cell(int x, int y) {
  const bool inside = x >= 0 && y >= 0 && x < dots_across() && y < dots_down();
  if (!inside) {
    return nullptr;
  }
  const auto row = static_cast<std::size_t>(y / down_);
  const auto column = static_cast<std::size_t>(x / across_);
  return &cells_[row * static_cast<std::size_t>(columns_) + column];
}

void DotCanvas::dot(int x, int y, logging::Tint tint) {
  if (Cell* found = cell(x, y)) {
    const auto column = static_cast<std::size_t>(x % across_);
    const auto row = static_cast<std::size_t>(y % down_);
    found->dots |= style_.unicode ? kBrailleBits[column][row]
                                  : static_cast<std::uint8_t>(1U << row);
    found->tint = tint;
  }
}

// Draws a line by Bresenham's algorithm, for all directions.
void DotCanvas::line(int x0, int y0, int x1, int y1, logging::Tint tint) {
  const int dx = std::abs(x1 - x0);
  const int dy = -std::abs(y1 - y0);
  const int step_x = x0 < x1 ? 1 : -1;
  const int step_y = y0 < y1 ? 1 : -1;
  int error = dx + dy;
  while (true) {
    dot(x0, y0, tint);
    if (x0 == x1 && y0 == y1) {
      return;
    }
    const int twice = 2 * error;
    if (twice >= dy) {
      error += dy;
      x0 += step_x;
    }
    if (twice <= dx) {
      error += dx;
      y0 += step_y;
    }
  }
}

void DotCanvas::mark(int x, int y, logging::Tint tint) {
  if (Cell* found = cell(x, y)) {
    found->mark = true;
    found->tint = tint;
  }
}

std::string DotCanvas::glyph(const Cell& cell) const {
  constexpr std::array<const char*, 4> kHalves{" ", "'", ".", ":"};
  if (cell.mark) {
    return style_.unicode ? "\u25cf" : "o";
  }
  if (cell.dots == 0) {
    return " ";
  }
  return style_.unicode ? braille(cell.dots) : kHalves[cell.dots];
}

std::string DotCanvas::row(int index) const {
  const auto first =
      cells_.begin() + static_cast<std::ptrdiff_t>(index) * columns_;
  auto end = first + columns_;
  while (end != first && glyph(*(end - 1)) == " ") {
    --end;
  }
  // Joins neighbouring characters of the same colour.
  std::string out;
  for (auto at = first; at != end;) {
    std::string piece;
    const logging::Tint tint = at->tint;
    const bool blank = glyph(*at) == " ";
    for (; at != end && (glyph(*at) == " ") == blank &&
         (blank || at->tint == tint);
         ++at) {
      piece += glyph(*at);
    }
    out += blank ? piece : logging::tinted(piece, tint, style_);
  }
  return out;
}

} // namespace vitrain::report
