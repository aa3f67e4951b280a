#include "report/terminal/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/text.h"
#include "report/terminal/dot_canvas.h"

namespace vitrain::report {
namespace {

using logging::TerminalStyle;
using logging::Tint;
using logging::tinted;

constexpr int kLabelColumns = 9; // for values at the left
constexpr int kNarrowestPlot = 20;

// Ranges of values and steps in the plot.
struct Frame {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();

  bool empty() const { return !(low <= high); }
};

// Returns the ranges of the finite values of all lines and of their steps.
Frame frame_of(const std::vector<PlotLine>& lines) {
  Frame frame;
  for (const PlotLine& line : lines) {
    for (std::size_t i = 0; i < line.curve->size(); ++i) {
      const double value = line.curve->values[i];
      if (std::isfinite(value)) {
        frame.low = std::min(frame.low, value);
        frame.high = std::max(frame.high, value);
        frame.first = std::min(frame.first, line.curve->steps[i]);
        frame.last = std::max(frame.last, line.curve->steps[i]);
      }
    }
  }
  return frame;
}

// Returns the column of a step among `dots` columns.
int place_of(std::int64_t step, const Frame& frame, int dots) {
  const auto span =
      static_cast<double>(std::max<std::int64_t>(1, frame.last - frame.first));
  return static_cast<int>(
      std::lround(static_cast<double>(step - frame.first) / span * (dots - 1)));
}

// Averages the finite values of each column, at its last step: noise from step
// to step would fill the plot.
Curve means_of(const Curve& curve, const Frame& frame, int dots) {
  Curve means;
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (std::isfinite(curve.values[i])) {
      sum += curve.values[i];
      ++count;
    }
    const bool ends = i + 1 == curve.size() ||
        place_of(curve.steps[i + 1], frame, dots) !=
            place_of(curve.steps[i], frame, dots);
    if (ends && count > 0) {
      means.add(curve.steps[i], sum / static_cast<double>(count));
      sum = 0.0;
      count = 0;
    }
  }
  return means;
}

std::string number(double value) {
  if (std::abs(value) >= 1000 && std::abs(value) < 1e7) {
    return with_commas(std::llround(value));
  }
  return fmt::format("{:.3g}", value);
}

void draw(const PlotLine& line, const Frame& frame, DotCanvas& canvas) {
  const double up = frame.high > frame.low ? frame.high - frame.low : 1.0;
  // Marks are drawn only if there are few. A constant line is centred.
  const bool marks = line.marks &&
      line.curve->size() <= static_cast<std::size_t>(canvas.columns() / 3);
  int x0 = 0;
  int y0 = 0;
  for (std::size_t i = 0; i < line.curve->size(); ++i) {
    const int x = place_of(line.curve->steps[i], frame, canvas.dots_across());
    const double height =
        frame.high > frame.low ? (line.curve->values[i] - frame.low) / up : 0.5;
    const int y = static_cast<int>(
        std::lround((1.0 - height) * (canvas.dots_down() - 1)));
    canvas.line(i == 0 ? x : x0, i == 0 ? y : y0, x, y, line.tint);
    if (marks) {
      canvas.mark(x, y, line.tint);
    }
    x0 = x;
    y0 = y;
  }
}

std::string head(
    const std::string& title,
    const std::vector<PlotLine>& lines,
    const PlotOptions& options) {
  std::string out = tinted(title, Tint::kTitle, options.style);
  for (const PlotLine& line : lines) {
    if (line.curve->size() == 0) {
      continue;
    }
    const std::string mark = !line.marks ? ""
        : options.style.unicode          ? "\u25cf "
                                         : "o ";
    out += "  " + tinted(mark + line.label, line.tint, options.style) +
        (line.label.empty() && mark.empty() ? "" : " ") +
        number(options.scale * line.curve->values.back());
  }
  return logging::clip(out, options.style.columns) + "\n";
}

// Returns the axis below a plot: "0         epoch         10"; only the first
// number if there is no room.
std::string axis(const Frame& frame, int columns, const PlotOptions& options) {
  std::string first =
      number(static_cast<double>(frame.first) / options.steps_per_unit);
  const std::string last =
      number(static_cast<double>(frame.last) / options.steps_per_unit);
  const int room = columns - static_cast<int>(first.size() + last.size());
  const int unit = static_cast<int>(options.unit.size());
  if (room < unit + 2) {
    return first;
  }
  const int left = (room - unit) / 2;
  return first + std::string(static_cast<std::size_t>(left), ' ') +
      tinted(options.unit, Tint::kFaint, options.style) +
      std::string(static_cast<std::size_t>(room - unit - left), ' ') + last;
}

} // namespace

std::string plot(
    const std::string& title,
    const std::vector<PlotLine>& lines,
    const PlotOptions& options) {
  const Frame whole = frame_of(lines);
  if (whole.empty()) {
    return "";
  }
  const TerminalStyle& style = options.style;
  const int columns =
      std::max(kNarrowestPlot, style.columns - kLabelColumns - 3);
  DotCanvas canvas(columns, options.rows, style);
  std::vector<Curve> means;
  means.reserve(lines.size());
  std::vector<PlotLine> drawn = lines;
  for (PlotLine& line : drawn) {
    means.push_back(means_of(*line.curve, whole, canvas.dots_across()));
    line.curve = &means.back();
  }
  Frame frame = frame_of(drawn);
  frame.first = whole.first;
  frame.last = whole.last;
  for (const PlotLine& line : drawn) {
    draw(line, frame, canvas);
  }
  std::string out = head(title, lines, options);
  const std::string bar = style.unicode ? "\u2502" : "|";
  const std::string corner = style.unicode ? "\u2514" : "+";
  const std::string rule = style.unicode ? "\u2500" : "-";
  for (int row = 0; row < options.rows; ++row) {
    const bool middle = row == options.rows / 2 && frame.high > frame.low;
    const std::string label = row == 0 ? number(options.scale * frame.high)
        : row == options.rows - 1      ? number(options.scale * frame.low)
        : middle ? number(options.scale * (frame.low + frame.high) / 2)
                 : "";
    out += fmt::format(
        "{} {}{}\n",
        tinted(
            fmt::format("{:>{}}", label, kLabelColumns), Tint::kFaint, style),
        tinted(bar, Tint::kFaint, style),
        canvas.row(row));
  }
  std::string line = corner;
  for (int i = 0; i < columns; ++i) {
    line += rule;
  }
  const std::string margin(kLabelColumns + 1, ' ');
  return out + margin + tinted(line, Tint::kFaint, style) + "\n" + margin +
      " " + axis(frame, columns, options) + "\n";
}

} // namespace vitrain::report
