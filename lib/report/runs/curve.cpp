#include "report/runs/curve.h"

#include <algorithm>

namespace vitrain::report {

Curve thinned(const Curve& curve, std::size_t most) {
  if (curve.size() <= most) {
    return curve;
  }
  Curve out;
  const auto take = [&](std::size_t i) {
    out.add(curve.steps[i], curve.values[i]);
  };
  take(0);
  const std::size_t inner = curve.size() - 2;
  const std::size_t spans = std::max<std::size_t>(1, (most - 2) / 2);
  for (std::size_t span = 0; span < spans; ++span) {
    const auto first = curve.values.begin() +
        static_cast<std::ptrdiff_t>(1 + span * inner / spans);
    const auto end = curve.values.begin() +
        static_cast<std::ptrdiff_t>(1 + (span + 1) * inner / spans);
    const auto [low, high] = std::minmax_element(first, end);
    take(static_cast<std::size_t>(std::min(low, high) - curve.values.begin()));
    if (low != high) {
      take(
          static_cast<std::size_t>(std::max(low, high) - curve.values.begin()));
    }
  }
  take(curve.size() - 1);
  return out;
}

} // namespace vitrain::report
