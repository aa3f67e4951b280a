#include "optim/strengths.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vitrain::optim {
namespace {

// Returns the fraction of the way from step 0 to the last of `steps` steps.
double way(double step, std::int64_t steps) {
  return std::min(
      1.0, step / static_cast<double>(std::max<std::int64_t>(1, steps - 1)));
}

} // namespace

double weight_decay_share(
    double start,
    double end,
    double step,
    std::int64_t total_steps) {
  const double passed = step / static_cast<double>(total_steps);
  const double left = 0.5 * (1.0 + std::cos(std::numbers::pi * passed));
  return (end + (start - end) * left) / start;
}

double drop_path_share(
    config::DropPathShape shape,
    std::int64_t cutoff_steps,
    double step,
    std::int64_t total_steps) {
  const bool early = step < static_cast<double>(cutoff_steps);
  switch (shape) {
    case config::DropPathShape::kConstant:
      break;
    case config::DropPathShape::kRising:
      return way(step, total_steps);
    case config::DropPathShape::kEarly:
      return early ? 1.0 : 0.0;
    case config::DropPathShape::kEarlyLinear:
      return early ? 1.0 - way(step, cutoff_steps) : 0.0;
    case config::DropPathShape::kLate:
      return early ? 0.0 : 1.0;
  }
  return 1.0;
}

} // namespace vitrain::optim
