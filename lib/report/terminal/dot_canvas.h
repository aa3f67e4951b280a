#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logging/terminal_style.h"

namespace vitrain::report {

// A rectangle of characters for drawing with dots: each character has 2 x 4
// dots in braille, 1 x 2 in ASCII. Coordinates count dots from 0 at the upper
// left corner; dots outside are ignored.
class DotCanvas {
 public:
  DotCanvas(int columns, int rows, const logging::TerminalStyle& style);

  int columns() const { return columns_; }
  int dots_across() const { return columns_ * across_; }
  int dots_down() const { return rows_ * down_; }

  void line(int x0, int y0, int x1, int y1, logging::Tint tint);
  // Draws a whole character in place of the dots around (x, y).
  void mark(int x, int y, logging::Tint tint);

  // Returns a row of coloured characters (from 0) without trailing blanks.
  std::string row(int index) const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    bool mark = false;
    logging::Tint tint = logging::Tint::kLabel;
  };
  // Returns null for a position outside.
  Cell* cell(int x, int y);
  void dot(int x, int y, logging::Tint tint);
  std::string glyph(const Cell& cell) const;

  int columns_;
  int rows_;
  logging::TerminalStyle style_;
  int across_;
  int down_;
  std::vector<Cell> cells_;
};

} // namespace vitrain::report
