#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logging/terminal/terminal_style.h"

namespace vitrain::report {

// A rectangle of characters that is drawn on in dots: 2 x 4 of a character with
// braille, 1 x 2 with ASCII. Dots count from the upper left corner; those
// outside are left out.
class Canvas {
 public:
  Canvas(int columns, int rows, const logging::TerminalStyle& style);

  int columns() const { return columns_; }
  int dots_across() const { return columns_ * across_; }
  int dots_down() const { return rows_ * down_; }

  void line(int x0, int y0, int x1, int y1, logging::Tint tint);
  // A whole character, over all dots.
  void mark(int x, int y, logging::Tint tint);

  // A row of characters, coloured, without blanks at its end.
  std::string row(int index) const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    bool mark = false;
    logging::Tint tint = logging::Tint::kLabel;
  };
  // Null outside.
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
