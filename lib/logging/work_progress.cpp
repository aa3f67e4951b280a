#include "logging/work_progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::logging {
namespace {

constexpr int kBarColumns = 30;

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

} // namespace

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
  const double share = all > 0
      ? std::clamp(
            static_cast<double>(done) / static_cast<double>(all), 0.0, 1.0)
      : 0.0;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0.0;
  const double left = rate > 0 ? static_cast<double>(all - done) / rate : -1.0;
  return clip(
      fmt::format(
          "{} {} {}/{}  {}/s  eta {}",
          tinted(what, Tint::kTitle, style),
          work_bar(share, kBarColumns, style),
          with_commas(done),
          with_commas(all),
          with_commas(static_cast<std::int64_t>(rate)),
          human_seconds(left)),
      style.columns - 1);
}

WorkProgress::~WorkProgress() {
  if (drawn_) {
    console_.live("");
  }
}

void WorkProgress::update(std::int64_t done, std::int64_t all) {
  if (!console_.is_live() ||
      (drawn_ && since_drawn_.seconds() < kRedrawSeconds)) {
    return;
  }
  console_.live(
      work_line(what_, done, all, watch_.seconds(), console_.style()));
  since_drawn_.restart();
  drawn_ = true;
}

} // namespace vitrain::logging
