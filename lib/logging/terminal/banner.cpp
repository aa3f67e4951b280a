#include "logging/terminal/banner.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/text/text.h"

namespace vitrain::logging {
namespace {

constexpr int kIndent = 2;
constexpr int kGap = 2;
constexpr int kNarrowestText = 20;
constexpr int kLongestLastLine = 80; // also where a terminal is wider

std::string spaces(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

// The parts of a path or of another long word, each with the separator that
// ends it, joined to pieces of at most `columns`; a longer part stays whole.
std::vector<std::string> pieces_of(const std::string& word, int columns) {
  constexpr std::string_view kSeparators = "/,=";
  std::vector<std::string> pieces(1);
  std::string part;
  const auto add = [&] {
    if (!pieces.back().empty() &&
        display_width(pieces.back()) + display_width(part) > columns) {
      pieces.emplace_back();
    }
    pieces.back() += part;
    part.clear();
  };
  for (const char c : word) {
    part += c;
    if (kSeparators.find(c) != std::string_view::npos) {
      add();
    }
  }
  add();
  return pieces;
}

// Words of a printable line in lines of at most `columns`. One that is longer
// than a line begins a new one and is broken behind separators alone.
std::vector<std::string> wrap(const std::string& line, int columns) {
  std::vector<std::string> lines(1);
  int used = 0;
  for (const std::string& word : split(line, ' ')) {
    const int width = display_width(word);
    const bool first = lines.back().empty();
    if (!first && used + 1 + width > columns) {
      lines.emplace_back();
      used = 0;
    }
    const bool blank = !lines.back().empty();
    lines.back() += blank ? " " : "";
    used += width + (blank ? 1 : 0);
    const std::vector<std::string> pieces = pieces_of(word, columns);
    lines.back() += pieces.front();
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      lines.push_back(pieces[i]);
      used = display_width(pieces[i]);
    }
  }
  return lines;
}

} // namespace

std::string sections_text(
    const std::vector<BannerSection>& sections,
    const TerminalStyle& style) {
  int label_width = 0;
  for (const BannerSection& section : sections) {
    for (const BannerLine& line : section) {
      if (!line.text.empty()) {
        label_width =
            std::max(label_width, display_width(printable(line.label)));
      }
    }
  }
  const int column = kIndent + label_width + kGap;
  const int room = std::max(style.columns - column, kNarrowestText);
  std::string out;
  for (const BannerSection& section : sections) {
    std::string part;
    for (const BannerLine& line : section) {
      if (line.text.empty()) {
        continue;
      }
      const std::string label = printable(line.label);
      std::string lead = spaces(kIndent) + tinted(label, Tint::kLabel, style) +
          spaces(column - kIndent - display_width(label));
      for (const std::string& text : split(line.text, '\n')) {
        for (const std::string& piece : wrap(printable(text), room)) {
          part += lead + piece + "\n";
          lead = spaces(column);
        }
      }
    }
    out += out.empty() || part.empty() ? part : "\n" + part;
  }
  return out;
}

namespace {

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole == 0
      ? "-"
      : fmt::format(
            "{:.2f} %",
            100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// ", 1,234 images/s", "" where the rate is not known.
std::string rate_text(double images_per_second) {
  constexpr double kMost = 1e15;
  return images_per_second > 0.0 && images_per_second < kMost
      ? fmt::format(
            ", {} images/s", with_commas(std::llround(images_per_second)))
      : "";
}

// "top1 97.31 %", "map 67.59 %", or the loss where there are no classes.
std::string short_text(const Reached& reached) {
  return reached.map     ? fmt::format("map {:.2f} %", *reached.map)
      : reached.correct1 ? "top1 " + percent(*reached.correct1, reached.count)
                         : fmt::format("loss {:.6g}", reached.loss);
}

std::string reached_text(const Reached& reached) {
  if (!reached.correct1 || !reached.correct5) {
    return fmt::format(
        "{}loss {:.6g} over {}",
        reached.map ? short_text(reached) + ", " : "",
        reached.loss,
        reached.count);
  }
  return fmt::format(
      "top1 {} ({} of {}), top5 {}, loss {:.4f}",
      percent(*reached.correct1, reached.count),
      *reached.correct1,
      reached.count,
      percent(*reached.correct5, reached.count),
      reached.loss);
}

// "2 epochs, 80 steps"; an epoch that has only begun is not counted as one.
std::string trained_text(const Closing& end) {
  const std::string steps = end.steps < end.total_steps
      ? fmt::format(
            "{} of {} steps",
            with_commas(end.steps),
            with_commas(end.total_steps))
      : with_commas(end.steps) + " steps";
  if (end.begun_steps == 0) {
    return fmt::format("{}, {}", counted(end.epochs, "epoch"), steps);
  }
  const std::string begun = fmt::format(
      "{} of {} steps",
      with_commas(end.begun_steps),
      with_commas(end.epoch_steps));
  if (end.epochs == 0) {
    return begun == steps || end.steps < end.total_steps
        ? steps
        : begun + " of an epoch";
  }
  return fmt::format(
      "{} and {}, {}", counted(end.epochs, "epoch"), begun, steps);
}

// The last line, and what of it did not fit into the width of the terminal and
// stands above it.
struct LastLine {
  std::string text; // behind the outcome
  bool has_result = false; // in full
  bool has_folder = false;
};

LastLine last_line(const Closing& end, const TerminalStyle& style) {
  const std::string folder = printable(end.folder);
  const std::string where = folder.empty() ? "" : " in " + folder;
  const std::string full = end.last ? ": " + reached_text(*end.last) : "";
  const std::string brief = end.last ? ": " + short_text(*end.last) : "";
  const LastLine ways[] = {
      {full + where, true, true},
      {brief + where, false, true},
      {full, true, false},
      {brief, false, false}};
  for (const LastLine& way : ways) {
    if (display_width(printable(end.outcome) + way.text) <=
        std::min(style.columns, kLongestLastLine)) {
      return way;
    }
  }
  return std::end(ways)[-1];
}

} // namespace

std::string banner(
    const std::string& title,
    const std::vector<BannerSection>& sections,
    const TerminalStyle& style) {
  const std::string name = printable(title);
  const int width = std::clamp(display_width(name), 1, style.columns);
  std::string rule;
  for (int i = 0; i < width; ++i) {
    rule += style.unicode ? "\u2500" : "-";
  }
  return tinted(name, Tint::kTitle, style) + "\n" +
      tinted(rule, Tint::kFaint, style) + "\n" + sections_text(sections, style);
}

std::string closing(const Closing& end, const TerminalStyle& style) {
  const LastLine last = last_line(end, style);
  BannerSection lines;
  if (end.steps > 0) {
    lines.push_back(
        {"trained",
         fmt::format(
             "{} in {}{}",
             trained_text(end),
             human_seconds(end.seconds),
             rate_text(end.images_per_second))});
  } else {
    lines.push_back({"time", human_seconds(end.seconds)});
  }
  lines.push_back({"best", end.best.value_or("")});
  if (end.last && !last.has_result) {
    lines.push_back({"last", reached_text(*end.last)});
  }
  lines.push_back({"pruned", end.pruned});
  lines.push_back({"checkpoint", end.checkpoint.value_or("")});
  lines.push_back({"problems", join(end.problems, "\n")});
  if (!last.has_folder) {
    lines.push_back({"run folder", end.folder});
  }
  return sections_text({lines}, style) +
      tinted(printable(end.outcome),
             end.failed ? Tint::kError : Tint::kGood,
             style) +
      last.text + "\n";
}

} // namespace vitrain::logging
