#include "logging/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "logging/work_progress.h"

namespace vitrain::logging {
namespace {

using config::ProgressKind;

constexpr int kShortestBar = 10;
constexpr int kLongestBar = 30;

std::string loss_text(double loss) {
  const double size = std::abs(loss);
  const bool fixed = size == 0.0 || (size >= 1e-3 && size < 1e4);
  return fixed || !std::isfinite(loss) ? fmt::format("{:.4f}", loss)
                                       : fmt::format("{:.3e}", loss);
}

std::string rate_text(double images_per_second) {
  constexpr double kMost = 1e15;
  if (!(images_per_second >= 0.0 && images_per_second < kMost)) {
    return "-";
  }
  // Slow runs (large models on a CPU) need a digit behind the point.
  return images_per_second < 10.0 && images_per_second > 0.0
      ? fmt::format("{:.1f}", images_per_second)
      : with_commas(std::llround(images_per_second));
}

// "4.1 MiB 12.3%": what a step sends and how long it waits for it.
std::string exchange_text(const ProgressState& state) {
  return state.phase == Phase::kEval || state.comm_bytes == 0
      ? ""
      : fmt::format(
            "{} {:.1f}%",
            human_bytes(static_cast<double>(state.comm_bytes)),
            100 * state.comm_wait);
}

// "0.75 (2)": mean and largest.
std::string staleness_text(const ProgressState& state) {
  return state.phase == Phase::kEval || !state.staleness
      ? ""
      : fmt::format(
            "{:.2f} ({})", state.staleness->mean, state.staleness->largest);
}

std::string percent(const char* label, std::optional<double> value) {
  return value ? fmt::format("  {} {:.2f}", label, *value) : "";
}

// "  label value", or nothing.
std::string labelled(const char* label, const std::string& value) {
  return value.empty() ? "" : fmt::format("  {} {}", label, value);
}

// A field of the live line. The one with the largest rank is left out first.
struct Field {
  std::string label;
  std::string value;
  int rank;

  int width() const {
    return static_cast<int>(label.size() + value.size()) + 3;
  }
};

std::vector<Field> live_fields(const ProgressState& state) {
  std::vector<Field> fields{{"loss", loss_text(state.loss), 1}};
  if (state.top1) {
    fields.push_back({"top1", fmt::format("{:.2f}", *state.top1), 2});
  }
  if (state.top5) {
    fields.push_back({"top5", fmt::format("{:.2f}", *state.top5), 7});
  }
  if (state.phase == Phase::kTrain) {
    fields.push_back({"lr", fmt::format("{:.1e}", state.lr), 6});
  }
  fields.push_back({"img/s", rate_text(state.images_per_second), 4});
  fields.push_back({"wait", fmt::format("{:.1f}%", 100 * state.data_wait), 8});
  if (const std::string exchange = exchange_text(state); !exchange.empty()) {
    fields.push_back({"comm", exchange, 9});
  }
  if (const std::string stale = staleness_text(state); !stale.empty()) {
    fields.push_back({"stale", stale, 10});
  }
  if (state.bad_samples > 0) {
    fields.push_back({"bad", with_commas(state.bad_samples), 2});
  }
  if (!state.unsaved.empty()) {
    fields.push_back({"UNSAVED", state.unsaved, 0});
  }
  fields.push_back({"eta", human_seconds(state.eta_seconds), 3});
  return fields;
}

double share_done(const ProgressState& state) {
  return state.batches <= 0 ? 0.0
                            : std::clamp(
                                  static_cast<double>(state.batch) /
                                      static_cast<double>(state.batches),
                                  0.0,
                                  1.0);
}

// Removes fields, and the bar (rank 5), until the line fits; returns the
// columns left for the bar, 0 for none.
int fit(std::vector<Field>& fields, int fixed, int room) {
  constexpr int kBarRank = 5;
  bool bar = true;
  while (true) {
    int used = fixed;
    int worst = bar ? kBarRank : 0;
    for (const Field& field : fields) {
      used += field.width();
      worst = std::max(worst, field.rank);
    }
    const int left = room - used - 1;
    if ((bar ? left - kShortestBar : room - used) >= 0 || worst == 0) {
      return bar ? std::min(left, kLongestBar) : 0;
    }
    bar = bar && worst != kBarRank;
    std::erase_if(
        fields, [&](const Field& field) { return field.rank == worst; });
  }
}

} // namespace

std::string plain_line(const ProgressState& state) {
  const bool train = state.phase == Phase::kTrain;
  return fmt::format(
      "{}epoch {}/{}  batch {}/{}  loss {}{}{}{}  img/s {}  wait "
      "{:.1f}%{}{}{}{}  eta {}",
      train ? "" : "eval  ",
      state.epoch,
      state.epochs,
      state.batch,
      state.batches,
      loss_text(state.loss),
      percent("top1", state.top1),
      percent("top5", state.top5),
      train ? fmt::format("  lr {:.1e}", state.lr) : "",
      rate_text(state.images_per_second),
      100 * state.data_wait,
      labelled("comm", exchange_text(state)),
      labelled("stale", staleness_text(state)),
      state.bad_samples > 0 ? "  bad " + with_commas(state.bad_samples) : "",
      state.unsaved.empty() ? "" : "  UNSAVED " + state.unsaved,
      human_seconds(state.eta_seconds));
}

std::string
worker_line(int rank, std::int64_t samples, const ProgressState& state) {
  return fmt::format(
      "worker {}  epoch {}/{}  batch {}/{}{}{}  samples {}  img/s {}  wait "
      "{:.1f}%{}",
      rank,
      state.epoch,
      state.epochs,
      state.batch,
      state.batches,
      samples > 0 ? "  loss " + loss_text(state.loss) : "",
      percent("top1", state.top1),
      with_commas(samples),
      rate_text(state.images_per_second),
      100 * state.data_wait,
      labelled("comm", exchange_text(state)));
}

std::string live_line(const ProgressState& state, const TerminalStyle& style) {
  const std::string head = fmt::format(
      "{} {}/{}",
      state.phase == Phase::kTrain ? "epoch" : "eval ",
      state.epoch,
      state.epochs);
  // As wide at the first batch as at the last: the line must not jump.
  const std::string total = fmt::format("{}", state.batches);
  const std::string count =
      fmt::format("{:>{}}/{}", state.batch, total.size(), total);
  std::vector<Field> fields = live_fields(state);
  const int fixed = static_cast<int>(head.size() + 1 + count.size());
  const int bar = fit(fields, fixed, style.columns - 1);
  std::string line = tinted(head, Tint::kTitle, style) + " ";
  if (bar > 0) {
    line += work_bar(share_done(state), bar, style) + " ";
  }
  line += count;
  for (const Field& field : fields) {
    line += fmt::format(
        "  {} {}", tinted(field.label, Tint::kFaint, style), field.value);
  }
  return clip(line, style.columns - 1);
}

ProgressDisplay::ProgressDisplay(Console& console, ProgressKind kind)
    : console_(console), kind_(kind) {
  if (kind == ProgressKind::kAuto || kind == ProgressKind::kLine) {
    kind_ = console.is_live() ? ProgressKind::kLine : ProgressKind::kPlain;
  }
}

bool ProgressDisplay::wants_update() const {
  return kind_ == ProgressKind::kLine &&
      (!drawn_ || since_drawn_.seconds() >= kRedrawSeconds);
}

void ProgressDisplay::update(const ProgressState& state) {
  if (wants_update()) {
    console_.live(live_line(state, console_.style()));
    since_drawn_.restart();
    drawn_ = true;
  }
}

void ProgressDisplay::milestone(const ProgressState& state) {
  if (kind_ == ProgressKind::kLine) {
    console_.log(plain_line(state));
  } else if (kind_ == ProgressKind::kPlain) {
    console_.info(plain_line(state));
  }
}

void ProgressDisplay::clear() {
  if (drawn_) {
    console_.live("");
    drawn_ = false;
  }
}

} // namespace vitrain::logging
