#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logging/terminal/terminal_style.h"
#include "report/runs/curve.h"

namespace vitrain::report {

// A line of a plot. The curve must outlive the plot.
struct PlotLine {
  const Curve* curve = nullptr;
  std::string label; // printable
  logging::Tint tint = logging::Tint::kLabel;
  bool marks =
      false; // draw points as marks: for few points, or to distinguish lines
};

struct PlotOptions {
  logging::TerminalStyle style{};
  int rows = 9; // of the plot itself
  double steps_per_unit = 1.0; // of the axis below
  std::string unit = "step"; // of it: "epoch"
  double scale = 1.0; // values are shown times this
};

// Returns a plot in characters: a line with the title and each line's last
// value, the plot (braille dots; in ASCII two heights per row), and an axis. At
// most style.columns wide; ends with a newline. "" without points.
std::string plot(
    const std::string& title,
    const std::vector<PlotLine>& lines,
    const PlotOptions& options);

} // namespace vitrain::report
