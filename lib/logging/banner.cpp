#include "logging/banner.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::logging {
namespace {

constexpr int kIndent = 2;
constexpr int kGap = 2;
constexpr int kNarrowestText = 20;
constexpr int kLongestLastLine = 80; // columns, on wider terminals, too

std::string spaces(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

// Splits a command at blanks into lines of at most `columns`, more only for a
// longer word; each but the last has a backslash at its end.
std::vector<std::string> wrap_command(const std::string& line, int columns) {
  constexpr int kMark = 2; // width of " \\"
  std::vector<std::string> lines(1);
  for (const std::string& word : split(line, ' ')) {
    std::string& last = lines.back();
    if (!last.empty() &&
        display_width(last) + 1 + display_width(word) + kMark > columns) {
      last += " \\";
      lines.push_back(word);
    } else {
      last += (last.empty() ? "" : " ") + word;
    }
  }
  return lines;
}

std::vector<std::string>
wrap_line(const BannerLine& line, const std::string& text, int columns) {
  if (!line.command) {
    return wrap_words(text, columns);
  }
  return display_width(text) <= columns ? std::vector{text}
                                        : wrap_command(text, columns);
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
        for (const std::string& piece :
             wrap_line(line, printable(text), room)) {
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

// Returns ", 1,234 images/s"; "" if the rate is unknown.
std::string rate_text(double images_per_second) {
  constexpr double kMost = 1e15;
  return images_per_second > 0.0 && images_per_second < kMost
      ? fmt::format(
            ", {} images/s", with_commas(std::llround(images_per_second)))
      : "";
}

// Returns "top1 97.31 %" or "map 67.59 %"; without classes, the loss.
std::string short_text(const Reached& reached) {
  return reached.map     ? fmt::format("map {:.2f} %", *reached.map)
      : reached.correct1 ? "top1 " + percent(*reached.correct1, reached.count)
                         : fmt::format("loss {:.6g}", reached.loss);
}

std::string reached_text(const Reached& reached) {
  if (!reached.correct1) {
    return fmt::format(
        "{}loss {:.6g} over {}",
        reached.map ? short_text(reached) + ", " : "",
        reached.loss,
        with_commas(reached.count));
  }
  return fmt::format(
      "top1 {} ({} of {}){}, loss {:.4f}",
      percent(*reached.correct1, reached.count),
      with_commas(*reached.correct1),
      with_commas(reached.count),
      reached.correct5 ? ", top5 " + percent(*reached.correct5, reached.count)
                       : "",
      reached.loss);
}

// Returns "2 epochs, 80 steps". A partial epoch is not counted as one.
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

// Returns "0:13"; for a resumed run "0:26 (0:13 of it since step 780)".
std::string time_text(const Closing& end) {
  return end.earlier_seconds > 0.0
      ? fmt::format(
            "{} ({} of it since step {})",
            human_seconds(end.earlier_seconds + end.seconds),
            human_seconds(end.seconds),
            with_commas(end.resumed))
      : human_seconds(end.seconds);
}

// The last line, and whether it contains the result and the folder, which are
// otherwise printed above it.
struct LastLine {
  std::string text; // text after the outcome
  bool has_result = false; // the full result
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
  return {};
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
             time_text(end),
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
  return sections_text({lines, end.commands}, style) +
      tinted(printable(end.outcome),
             end.failed ? Tint::kError : Tint::kGood,
             style) +
      last.text + "\n";
}

} // namespace vitrain::logging
