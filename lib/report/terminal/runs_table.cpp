// Implements runs_table() of listing.h.

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "core/text.h"
#include "report/runs/texts.h"
#include "report/terminal/listing.h"

namespace vitrain::report {
namespace {

using logging::TerminalStyle;
using logging::Tint;

constexpr std::size_t kColumns = 7; // columns before the settings
constexpr std::size_t kMostSettings = 8; // settings per run
constexpr int kGap = 2;
// Least width of notes for which other columns are removed.
constexpr int kRoomForNotes = 20;
constexpr int kLeastNote = 8; // notes are left out if narrower
// Names are shortened to this before columns are removed.
constexpr int kShortName = 20;
constexpr int kShortestName = 8;

using Cells = std::array<std::string, kColumns>;
constexpr std::array<const char*, kColumns>
    kNames{"run", "state", "epoch", "best", "loss", "img/s", "time"};
constexpr std::array<bool, kColumns>
    kRight{false, false, true, true, true, true, true};

Tint tint_of(RunStatus state) {
  switch (state) {
    case RunStatus::kRunning:
      return Tint::kLabel;
    case RunStatus::kDone:
      return Tint::kGood;
    case RunStatus::kStopped:
      return Tint::kWarning;
    case RunStatus::kFailed:
      return Tint::kError;
    case RunStatus::kNoRecords:
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

// Returns the line without trailing blanks.
std::string trimmed(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

// Returns texts like "optim.lr=0.001", preceded by the reason of a failure or
// of an unknown state.
std::vector<std::string> notes_of(const ListedRun& one) {
  std::vector<std::string> notes;
  if (one.run.state == RunStatus::kFailed && !one.run.reason.empty()) {
    notes.push_back(printable(one.run.reason));
  } else if (one.run.state == RunStatus::kNoRecords) {
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

// Widths of the columns that fit on the terminal.
struct TableLayout {
  std::array<int, kColumns> widths{}; // 0: left out
  int room = 0; // width left for the notes at the end

  int used() const {
    int sum = 0;
    for (const int width : widths) {
      sum += width > 0 ? width + kGap : 0;
    }
    return sum;
  }
};

// Removes less important columns and shortens names until the notes fit.
void fit_columns(TableLayout& layout, int columns, bool has_notes) {
  enum : std::size_t { kRun, kState, kEpoch, kBest, kLoss, kRate, kTime };
  const int notes = has_notes ? kRoomForNotes : 0;
  const auto excess = [&] { return layout.used() + notes - columns; };
  const auto leave_out = [&](std::size_t column) {
    layout.widths[column] = excess() > 0 ? 0 : layout.widths[column];
  };
  const auto shorten_names = [&](int narrowest) {
    int& width = layout.widths[kRun];
    if (excess() > 0 && width > narrowest) {
      width = std::max(narrowest, width - excess());
    }
  };
  leave_out(kRate);
  leave_out(kLoss);
  shorten_names(kShortName);
  leave_out(kTime);
  leave_out(kEpoch);
  shorten_names(kShortestName);
  layout.room = columns - layout.used();
}

TableLayout layout_of(
    const std::vector<Cells>& rows,
    bool has_notes,
    const TerminalStyle& style,
    bool fits) {
  TableLayout layout;
  for (std::size_t i = 0; i < kColumns; ++i) {
    layout.widths[i] = logging::display_width(kNames[i]);
    for (const Cells& row : rows) {
      layout.widths[i] =
          std::max(layout.widths[i], logging::display_width(row[i]));
    }
  }
  if (fits) {
    fit_columns(layout, style.columns, has_notes);
  } else {
    layout.room = std::numeric_limits<int>::max();
  }
  return layout;
}

std::string cell_text(
    const std::string& text,
    std::size_t column,
    const TableLayout& layout,
    const TerminalStyle& style) {
  const int width = layout.widths[column];
  return padded(
      vitrain::shorten_middle(text, width, logging::ellipsis(style)),
      width,
      kRight[column]);
}

} // namespace

std::string runs_table(
    const std::vector<ListedRun>& runs,
    const TerminalStyle& style,
    bool fits) {
  std::vector<Cells> rows;
  std::vector<std::string> notes;
  for (const ListedRun& one : runs) {
    rows.push_back(cells_of(one));
    notes.push_back(join(notes_of(one), std::string(kGap, ' ')));
  }
  const bool has_notes = std::ranges::any_of(
      notes, [](const std::string& text) { return !text.empty(); });
  const TableLayout layout = layout_of(rows, has_notes, style, fits);
  const std::string gap(kGap, ' ');
  std::string head;
  for (std::size_t i = 0; i < kColumns; ++i) {
    head += layout.widths[i] > 0
        ? padded(kNames[i], layout.widths[i], kRight[i]) + gap
        : "";
  }
  const auto noted = [&](const std::string& text) {
    return layout.room < kLeastNote
        ? ""
        : vitrain::shorten(text, layout.room, logging::ellipsis(style));
  };
  std::string out =
      logging::tinted(trimmed(head + noted("differs")), Tint::kFaint, style) +
      "\n";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i) {
      if (layout.widths[i] == 0) {
        continue;
      }
      const std::string cell = cell_text(rows[row][i], i, layout, style);
      line +=
          (i == 1 ? logging::tinted(cell, tint_of(runs[row].run.state), style)
                  : cell) +
          gap;
    }
    out += trimmed(line + noted(notes[row])) + "\n";
  }
  return out;
}

} // namespace vitrain::report
