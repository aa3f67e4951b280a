#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logging/terminal_style.h"
#include "report/runs/curve.h"

namespace vitrain::report {

// A line of a plot.
struct PlotLine {
  const Curve* curve = nullptr;
  std::string label; // printable
  logging::Tint tint = logging::Tint::kLabel;
  // Draws points as marks if there are few, and a mark before the label.
  bool marks = false;
};

struct PlotOptions {
  logging::TerminalStyle style{};
  int rows = 9; // rows of the plot without title and axis
  double steps_per_unit = 1.0; // optimizer steps per unit of the axis
  std::string unit = "step"; // unit of the axis: "epoch"
  double scale = 1.0; // factor of the displayed values
};

// Returns a plot in characters: a line with the title and each curve's last
// value, the plot (braille dots; in ASCII two heights per row) of the mean of
// the points in each column, and an axis. At most style.columns wide (31 if
// that is less); ends with a newline. "" without finite values.
std::string plot(
    const std::string& title,
    const std::vector<PlotLine>& lines,
    const PlotOptions& options);

} // namespace vitrain::report
