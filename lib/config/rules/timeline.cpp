#include "config/rules/timeline.h"

#include <algorithm>
#include <cmath>

namespace vitrain::config {
namespace {

// Smaller than the fraction of an epoch in a step, larger than rounding errors
// of a number of epochs.
constexpr double kRounding = 1e-9;

} // namespace

Timeline::Timeline(const std::vector<EpochSteps>& stretches) {
  for (const EpochSteps& next : stretches) {
    std::int64_t step = 0;
    if (!stretches_.empty()) {
      const Stretch& last = stretches_.back();
      if (last.epochs.steps == next.steps) {
        continue;
      }
      step = first_step(next.first_epoch);
    }
    stretches_.push_back({next, step});
  }
}

std::vector<EpochSteps> Timeline::stretches() const {
  std::vector<EpochSteps> stretches;
  for (const Stretch& stretch : stretches_) {
    stretches.push_back(stretch.epochs);
  }
  return stretches;
}

const Timeline::Stretch& Timeline::of_step(std::int64_t step) const {
  const auto next = std::ranges::upper_bound(
      stretches_.begin() + 1, stretches_.end(), step, {}, &Stretch::first_step);
  return *(next - 1);
}

const Timeline::Stretch& Timeline::of_epoch(std::int64_t epoch) const {
  const auto next = std::upper_bound(
      stretches_.begin() + 1,
      stretches_.end(),
      epoch,
      [](std::int64_t value, const Stretch& stretch) {
        return value < stretch.epochs.first_epoch;
      });
  return *(next - 1);
}

std::int64_t Timeline::epoch_of(std::int64_t step) const {
  const Stretch& stretch = of_step(step);
  return stretch.epochs.first_epoch +
      (step - stretch.first_step) / stretch.epochs.steps;
}

std::int64_t Timeline::step_in_epoch(std::int64_t step) const {
  const Stretch& stretch = of_step(step);
  return (step - stretch.first_step) % stretch.epochs.steps;
}

std::int64_t Timeline::first_step(std::int64_t epoch) const {
  const Stretch& stretch = of_epoch(epoch);
  return stretch.first_step +
      (epoch - stretch.epochs.first_epoch) * stretch.epochs.steps;
}

std::int64_t Timeline::steps_in(std::int64_t epoch) const {
  return of_epoch(epoch).epochs.steps;
}

double Timeline::epochs_at(std::int64_t step) const {
  return time_at(step, /*unit=*/1);
}

double Timeline::time_at(std::int64_t step, std::int64_t unit) const {
  const Stretch& stretch = of_step(step);
  return static_cast<double>(stretch.epochs.first_epoch * unit) +
      static_cast<double>((step - stretch.first_step) * unit) /
      static_cast<double>(stretch.epochs.steps);
}

std::int64_t Timeline::step_at(double epochs) const {
  const Stretch& stretch = of_epoch(static_cast<std::int64_t>(epochs));
  return stretch.first_step +
      Duration{epochs - static_cast<double>(stretch.epochs.first_epoch)}.steps(
          stretch.epochs.steps, /*total_steps=*/1);
}

std::int64_t Interval::times(const Timeline& timeline, std::int64_t step)
    const {
  if (epochs > 0.0) {
    return static_cast<std::int64_t>(
        std::floor(timeline.epochs_at(step) / epochs + kRounding));
  }
  return steps > 0 ? step / steps : 0;
}

bool Interval::due(const Timeline& timeline, std::int64_t step) const {
  return step > 0 && times(timeline, step) > times(timeline, step - 1);
}

std::int64_t Interval::next(const Timeline& timeline, std::int64_t step) const {
  const std::int64_t done = times(timeline, step);
  if (epochs == 0.0) {
    return (done + 1) * steps;
  }
  // The nearest step, thus at most one step from the one to be found.
  std::int64_t found = timeline.step_at(static_cast<double>(done + 1) * epochs);
  while (found <= step || times(timeline, found) <= done) {
    ++found;
  }
  while (found > step + 1 && times(timeline, found - 1) > done) {
    --found;
  }
  return found;
}

bool Interval::over(
    const Timeline& timeline,
    std::int64_t first,
    std::int64_t step) const {
  if (epochs > 0.0) {
    return timeline.epochs_at(step) - timeline.epochs_at(first) >=
        epochs - kRounding;
  }
  return steps > 0 && step - first >= steps;
}

} // namespace vitrain::config
