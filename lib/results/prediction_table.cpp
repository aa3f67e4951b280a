#include "results/prediction_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "logging/progress.h"

namespace vitrain::results {
namespace {

using logging::Tint;

// Number of images up to which each gets a block.
constexpr std::int64_t kMostBlocks = 3;
constexpr int kBarColumns = 24; // width of a bar
constexpr int kPercent = 7; // width of "100.0 %"
constexpr int kGap = 2; // width between columns
constexpr int kMostNameColumns = 28;
// Least width of a name, unless all are shorter.
constexpr int kNarrowestName = 14;

std::string padded(const std::string& text, int columns) {
  const int missing = columns - logging::display_width(text);
  return text +
      std::string(static_cast<std::size_t>(std::max(missing, 0)), ' ');
}

// Returns the text, shortened at its end to `columns`, with dots.
std::string cut_end(
    const std::string& text,
    int columns,
    const logging::TerminalStyle& style) {
  if (logging::display_width(text) <= columns) {
    return text;
  }
  const std::string dots = style.unicode ? "\u2026" : "..";
  return logging::clip(text, columns - logging::display_width(dots)) + dots;
}

// Shortens a path at its start: its end is more informative.
std::string cut_start(
    const std::string& text,
    int columns,
    const logging::TerminalStyle& style) {
  const std::string dots = style.unicode ? "\u2026" : "..";
  std::string rest = text;
  int width = logging::display_width(rest);
  if (width <= columns) {
    return rest;
  }
  while (width > columns - logging::display_width(dots)) {
    const std::size_t narrow = logging::clip(rest, 1).size();
    rest.erase(0, narrow > 0 ? narrow : logging::clip(rest, 2).size());
    width = logging::display_width(rest);
  }
  return dots + rest;
}

std::string percent(float probability) {
  return fmt::format("{:5.1f} %", 100.0 * static_cast<double>(probability));
}

} // namespace

PredictionTable::PredictionTable(
    const std::vector<std::string>& classes,
    const Layout& layout)
    : layout_(layout), path_columns_(layout.path_columns) {
  for (const std::string& name : classes) {
    classes_.push_back(printable(name));
    name_columns_ =
        std::max(name_columns_, logging::display_width(classes_.back()));
  }
  shown_ = std::min<std::int64_t>(layout.top, std::ssize(classes_));
  if (!layout.narrow) {
    return;
  }
  path_columns_ = std::min(path_columns_, layout.style.columns / 3);
  // Shows as many classes as leave this much width for each name.
  const int least = std::min(name_columns_, kNarrowestName);
  const auto room = [&] {
    return (layout.style.columns - 1 - path_columns_) /
        static_cast<int>(shown_) -
        (kPercent + 2 * kGap);
  };
  while (shown_ > 1 && room() < least) {
    --shown_;
  }
  name_columns_ =
      std::min({name_columns_, kMostNameColumns, std::max(room(), 1)});
}

std::string PredictionTable::row(
    const std::string& path,
    const Prediction& prediction) const {
  const bool blocks = layout_.images <= kMostBlocks && layout_.narrow;
  return blocks ? block(path, prediction) : line(path, prediction);
}

std::string PredictionTable::line(
    const std::string& path,
    const Prediction& prediction) const {
  const logging::TerminalStyle& style = layout_.style;
  std::string text = padded(
      layout_.narrow ? cut_start(path, path_columns_, style) : path,
      path_columns_);
  if (!prediction.problem.empty()) {
    return text + "  " +
        logging::tinted(prediction.problem, Tint::kError, style) + "\n";
  }
  const auto count = std::min<std::size_t>(
      static_cast<std::size_t>(shown_), prediction.top.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ClassScore& score = prediction.top[i];
    const std::string& name = classes_[static_cast<std::size_t>(score.index)];
    const std::string cell =
        padded(cut_end(name, name_columns_, style), name_columns_) + "  " +
        percent(score.probability);
    text += "  " +
        logging::tinted(cell, i == 0 ? Tint::kTitle : Tint::kFaint, style);
  }
  return text + "\n";
}

std::string PredictionTable::block(
    const std::string& path,
    const Prediction& prediction) const {
  const logging::TerminalStyle& style = layout_.style;
  std::string text = logging::tinted(path, Tint::kTitle, style) + "\n";
  if (!prediction.problem.empty()) {
    return text + "  " +
        logging::tinted(prediction.problem, Tint::kError, style) + "\n";
  }
  const int room = std::max(
      style.columns - 1 - (kPercent + kBarColumns + 3 * kGap), name_columns_);
  for (const ClassScore& score : prediction.top) {
    text += fmt::format(
        "  {}  {}  {}\n",
        percent(score.probability),
        logging::work_bar(
            static_cast<double>(score.probability), kBarColumns, style),
        cut_end(classes_[static_cast<std::size_t>(score.index)], room, style));
  }
  return text;
}

} // namespace vitrain::results
