#include "logging/progress.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::logging {
namespace {

using config::ProgressKind;

constexpr int kShortestBar = 10;
constexpr int kLongestBar = 30;

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

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
  // Slow runs (large models on a CPU) get one decimal.
  return images_per_second < 10.0 && images_per_second > 0.0
      ? fmt::format("{:.1f}", images_per_second)
      : with_commas(std::llround(images_per_second));
}

// Returns "4.1 MiB 12.3%": bytes sent per step, and the share of time spent
// waiting; "" in evaluations and if nothing is sent.
std::string exchange_text(const ProgressState& state) {
  return state.phase == Phase::kEval || state.comm_bytes == 0
      ? ""
      : fmt::format(
            "{} {:.1f}%",
            human_bytes(static_cast<double>(state.comm_bytes)),
            100 * state.comm_wait);
}

// Returns "0.75 (2)": mean and largest staleness; "" in evaluations and if
// unknown.
std::string staleness_text(const ProgressState& state) {
  return state.phase == Phase::kEval || !state.staleness
      ? ""
      : fmt::format(
            "{:.2f} ({})", state.staleness->mean, state.staleness->largest);
}

std::string percent(std::optional<double> value) {
  return value ? fmt::format("{:.2f}", *value) : "";
}

std::string wait_text(const ProgressState& state) {
  return fmt::format("{:.1f}%", 100 * state.data_wait);
}

// Field of a progress line. If the live line is too long, the field with the
// largest rank is removed first, one with rank 0 never.
struct Field {
  std::string label;
  std::string value;
  int rank = 0;

  int width() const {
    return static_cast<int>(label.size() + value.size()) + 3;
  }
};

// Removes fields without a value.
std::vector<Field> present(std::vector<Field> fields) {
  std::erase_if(fields, [](const Field& field) { return field.value.empty(); });
  return fields;
}

std::vector<Field> fields_of(const ProgressState& state) {
  const bool train = state.phase == Phase::kTrain;
  return present(
      {{"loss", loss_text(state.loss), 1},
       {"top1", percent(state.top1), 2},
       {"top5", percent(state.top5), 7},
       {"lr", train ? fmt::format("{:.1e}", state.lr) : "", 6},
       {"img/s", rate_text(state.images_per_second), 4},
       {"wait", wait_text(state), 8},
       {"comm", exchange_text(state), 9},
       {"stale", staleness_text(state), 10},
       {"bad", state.bad_samples > 0 ? with_commas(state.bad_samples) : "", 2},
       {"UNSAVED", state.unsaved, 0},
       {"eta", human_seconds(state.eta_seconds), 3}});
}

// Returns "epoch 3/10  batch 120/156  loss 1.2345 ...".
std::string plain_text(
    const ProgressState& state,
    const std::vector<Field>& fields) {
  std::string line = fmt::format(
      "epoch {}/{}  batch {}/{}",
      state.epoch,
      state.epochs,
      with_commas(state.batch),
      with_commas(state.batches));
  for (const Field& field : fields) {
    line += fmt::format("  {} {}", field.label, field.value);
  }
  return line;
}

// Removes fields, and the bar (rank 5), until the line fits. Returns the width
// left for the bar; 0 if it was removed.
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
  return (state.phase == Phase::kTrain ? "" : "eval  ") +
      plain_text(state, fields_of(state));
}

std::string
worker_line(int rank, std::int64_t samples, const ProgressState& state) {
  const std::vector<Field> fields = present(
      {{"loss", samples > 0 ? loss_text(state.loss) : ""},
       {"top1", percent(state.top1)},
       {"samples", with_commas(samples)},
       {"img/s", rate_text(state.images_per_second)},
       {"wait", wait_text(state)},
       {"comm", exchange_text(state)}});
  return fmt::format("worker {}  {}", rank, plain_text(state, fields));
}

std::string live_line(const ProgressState& state, const TerminalStyle& style) {
  const std::string head = fmt::format(
      "{} {}/{}",
      state.phase == Phase::kTrain ? "epoch" : "eval ",
      state.epoch,
      state.epochs);
  // The width is the same for the first and the last batch, so that the line
  // does not jump.
  const std::string total = with_commas(state.batches);
  const std::string count =
      fmt::format("{:>{}}/{}", with_commas(state.batch), total.size(), total);
  std::vector<Field> fields = fields_of(state);
  const int fixed = static_cast<int>(head.size() + 1 + count.size());
  const int bar = fit(fields, fixed, style.columns - 1);
  std::string line = tinted(head, Tint::kTitle, style) + " ";
  if (bar > 0) {
    line += work_bar(share_done(state.batch, state.batches), bar, style) + " ";
  }
  line += count;
  for (const Field& field : fields) {
    line += fmt::format(
        "  {} {}", tinted(field.label, Tint::kFaint, style), field.value);
  }
  return clip(line, style.columns - 1);
}

std::string epoch_line(const EpochSummary& epoch, const TerminalStyle& style) {
  const auto share = [](std::optional<double> value) {
    return value ? fmt::format("{:.2f} %", *value) : "";
  };
  const auto loss = [](std::optional<double> value) {
    return value ? loss_text(*value) : "";
  };
  const std::string head =
      fmt::format("epoch {}/{}", epoch.epoch, epoch.epochs);
  std::vector<Field> fields = present(
      {{"loss", loss(epoch.loss), 1},
       {"eval loss", loss(epoch.eval_loss), epoch.top1 || epoch.map ? 3 : 2},
       {"top1", share(epoch.top1), 2},
       {"top5", share(epoch.top5), 6},
       {"map", share(epoch.map), 2},
       {"lr", fmt::format("{:.1e}", epoch.lr), 2},
       {"time", human_seconds(epoch.seconds), 2}});
  constexpr std::string_view kBest = "  best";
  int used = display_width(head) + display_width(kBest);
  for (const Field& field : fields) {
    used += field.width();
  }
  const bool best = epoch.best && used <= style.columns;
  used -= display_width(kBest);
  while (used > style.columns && fields.size() > 1) {
    const auto worst = std::ranges::max_element(fields, {}, &Field::rank);
    used -= worst->width();
    fields.erase(worst);
  }
  std::string line = tinted(head, Tint::kTitle, style);
  for (const Field& field : fields) {
    line += fmt::format(
        "  {} {}", tinted(field.label, Tint::kFaint, style), field.value);
  }
  return line + (best ? "  " + tinted("best", Tint::kGood, style) : "");
}

double share_done(std::int64_t done, std::int64_t all) {
  const double share = static_cast<double>(done) / static_cast<double>(all);
  return all > 0 ? std::clamp(share, 0.0, 1.0) : 0.0;
}

std::string work_bar(double share, int width, const TerminalStyle& style) {
  if (!style.unicode) {
    const int room = width - 2;
    const int full = static_cast<int>(share * room);
    const std::string head = full < room ? ">" : "";
    return fmt::format("[{:<{}}]", repeat("=", full) + head, room);
  }
  const int halves = static_cast<int>(share * 2 * width);
  const int full = halves / 2;
  const bool half = halves % 2 == 1;
  std::string done = repeat("\u2501", full);
  if (half) {
    done += "\u2578";
  }
  const std::string rest = repeat("\u2500", width - full - (half ? 1 : 0));
  return tinted(done, Tint::kGood, style) + tinted(rest, Tint::kFaint, style);
}

std::string work_line(
    const std::string& what,
    std::int64_t done,
    std::int64_t all,
    double seconds,
    const TerminalStyle& style) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0.0;
  const double left = rate > 0 ? static_cast<double>(all - done) / rate : -1.0;
  return clip(
      fmt::format(
          "{} {} {}/{}  {}/s  eta {}",
          tinted(what, Tint::kTitle, style),
          work_bar(share_done(done, all), kLongestBar, style),
          with_commas(done),
          with_commas(all),
          with_commas(static_cast<std::int64_t>(rate)),
          human_seconds(left)),
      style.columns - 1);
}

bool LiveLine::is_due() const {
  return console_.is_live() &&
      (!drawn_ || since_drawn_.seconds() >= kRedrawSeconds);
}

void LiveLine::draw(const std::string& text) {
  console_.live(text);
  since_drawn_.restart();
  drawn_ = true;
}

void LiveLine::clear() {
  if (drawn_) {
    console_.live("");
    drawn_ = false;
  }
}

void WorkProgress::update(std::int64_t done, std::int64_t all) {
  if (line_.is_due()) {
    line_.draw(work_line(what_, done, all, watch_.seconds(), console_.style()));
  }
}

ProgressDisplay::ProgressDisplay(Console& console, ProgressKind kind)
    : console_(console), line_(console), kind_(kind) {
  if (kind == ProgressKind::kAuto || kind == ProgressKind::kLine) {
    kind_ = console.is_live() ? ProgressKind::kLine : ProgressKind::kPlain;
  }
}

bool ProgressDisplay::wants_update() const {
  return kind_ == ProgressKind::kLine && line_.is_due();
}

void ProgressDisplay::update(const ProgressState& state) {
  if (wants_update()) {
    line_.draw(live_line(state, console_.style()));
  }
}

void ProgressDisplay::milestone(const ProgressState& state) {
  if (kind_ == ProgressKind::kLine) {
    console_.log(plain_line(state));
  } else if (kind_ == ProgressKind::kPlain) {
    console_.print( // not wrapped, as in the log
        [&](const TerminalStyle&) { return plain_line(state); });
  }
}

} // namespace vitrain::logging
