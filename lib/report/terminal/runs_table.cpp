// runs_table() of listing.h.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text/text.h"
#include "report/runs/texts.h"
#include "report/terminal/listing.h"

namespace vitrain::report {
namespace {

using logging::TerminalStyle;
using logging::Tint;

constexpr std::size_t kColumns = 7; // in front of the settings
constexpr std::size_t kMostSettings = 8; // of one run
constexpr int kGap = 2;
constexpr int kRoomForSettings = 24; // else they stand below their run
constexpr int kIndent = 4; // there

using Cells = std::array<std::string, kColumns>;
constexpr std::array<const char*, kColumns>
    kNames{"run", "state", "epoch", "best", "loss", "img/s", "time"};
constexpr std::array<bool, kColumns>
    kRight{false, false, true, true, true, true, true};

Tint tint_of(RunState state) {
  switch (state) {
    case RunState::kRunning:
      return Tint::kLabel;
    case RunState::kDone:
      return Tint::kGood;
    case RunState::kStopped:
      return Tint::kWarning;
    case RunState::kFailed:
      return Tint::kError;
    case RunState::kNoRecords:
      return Tint::kFaint;
  }
  return Tint::kFaint;
}

Cells cells_of(const ListedRun& one) {
  const auto result = one.result();
  const auto loss = one.loss();
  const Run& run = one.run;
  return {
      printable(run.name),
      name_of(run.state),
      epochs_text(run, "/"),
      result
          ? fmt::format(
                "{} {}", one.metric->name, metric_value(*one.metric, *result))
          : "",
      loss ? metric_value(info_of(Metric::kLoss), *loss) : "",
      rate_text(run.images_per_second()),
      run.records.seconds > 0.0 ? human_seconds(run.records.seconds) : ""};
}

std::string padded(const std::string& text, int width, bool right) {
  const int missing = std::max(0, width - logging::display_width(text));
  const std::string blanks(static_cast<std::size_t>(missing), ' ');
  return right ? blanks + text : text + blanks;
}

// Without blanks at its end.
std::string trimmed(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

// "optim.lr=0.001"; the reason of a failure, or why a run is not known, comes
// first.
std::vector<std::string> notes_of(const ListedRun& one) {
  std::vector<std::string> notes;
  if (one.run.state == RunState::kFailed && !one.run.reason.empty()) {
    notes.push_back(printable(one.run.reason));
  } else if (one.run.state == RunState::kNoRecords) {
    notes.push_back(
        one.run.problems.empty() ? printable(one.run.reason)
                                 : one.run.problems.front());
  }
  for (const auto& [name, value] : one.settings) {
    if (notes.size() > kMostSettings) {
      notes.push_back(
          fmt::format("and {} more", one.settings.size() - kMostSettings));
      break;
    }
    notes.push_back(fmt::format("{}={}", name, printable(value)));
  }
  return notes;
}

// The notes in lines of at most `room` columns, which later lines begin at
// `indent`; all in one line where they need not be wrapped.
std::string wrapped(
    const std::vector<std::string>& notes,
    int indent,
    int room,
    bool wrap) {
  std::string out;
  int used = 0;
  for (const std::string& whole : notes) {
    const std::string note = wrap ? logging::clip(whole, room) : whole;
    const int width = logging::display_width(note);
    if (wrap && used > 0 && used + kGap + width > room) {
      out += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
      used = 0;
    }
    out += used > 0 ? std::string(kGap, ' ') + note : note;
    used += width + (used > 0 ? kGap : 0);
  }
  return out;
}

} // namespace

std::string runs_table(
    const std::vector<ListedRun>& runs,
    const TerminalStyle& style,
    bool wrap) {
  std::vector<Cells> rows;
  std::array<int, kColumns> widths{};
  for (std::size_t i = 0; i < kColumns; ++i) {
    widths[i] = logging::display_width(kNames[i]);
  }
  for (const ListedRun& one : runs) {
    rows.push_back(cells_of(one));
    for (std::size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max(widths[i], logging::display_width(rows.back()[i]));
    }
  }
  int used = 0;
  for (const int width : widths) {
    used += width + kGap;
  }
  const bool below = wrap && style.columns - used < kRoomForSettings;
  const int indent = below ? kIndent : used;
  std::string out;
  for (std::size_t i = 0; i < kColumns; ++i) {
    out += padded(kNames[i], widths[i], kRight[i]) + std::string(kGap, ' ');
  }
  out = logging::tinted(
            trimmed(out + (below ? "" : "differs")), Tint::kFaint, style) +
      "\n";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i) {
      const std::string cell = padded(rows[row][i], widths[i], kRight[i]);
      line +=
          (i == 1 ? logging::tinted(cell, tint_of(runs[row].run.state), style)
                  : cell) +
          std::string(kGap, ' ');
    }
    const std::string notes =
        wrapped(notes_of(runs[row]), indent, style.columns - indent, wrap);
    if (!notes.empty() && !below) {
      line += notes;
    }
    out += trimmed(line) + "\n";
    if (!notes.empty() && below) {
      out += std::string(kIndent, ' ') + notes + "\n";
    }
  }
  return out;
}

} // namespace vitrain::report
