#include "results/calibration.h"

#include <algorithm>
#include <cmath>

namespace vitrain::results {
namespace {

void add(const Outcome& one, Calibration::Bin& bin) {
  ++bin.count;
  bin.correct += one.right() ? 1 : 0;
  bin.confidence_sum += static_cast<double>(one.probability);
}

} // namespace

double Calibration::Bin::accuracy() const {
  return count == 0 ? 0.0
                    : static_cast<double>(correct) / static_cast<double>(count);
}

double Calibration::Bin::confidence() const {
  return count == 0 ? 0.0 : confidence_sum / static_cast<double>(count);
}

const char* Calibration::Bin::tendency() const {
  const double more = confidence() - accuracy();
  return more > 0 ? "overconfident"
      : more < 0  ? "underconfident"
                  : "confidence equals accuracy";
}

Calibration::Calibration(std::span<const Outcome> outcomes) : bins_() {
  for (const Outcome& one : outcomes) {
    if (!one.finite()) {
      continue;
    }
    // Bin i holds probabilities in (i / kBins, (i + 1) / kBins]; 0 is in the
    // first one.
    const double place =
        std::ceil(static_cast<double>(one.probability) * kBins) - 1;
    add(one,
        bins_[static_cast<std::size_t>(std::clamp(place, 0.0, kBins - 1.0))]);
    add(one, all_);
  }
}

double Calibration::error() const {
  double sum = 0;
  for (const Bin& bin : bins_) {
    sum += static_cast<double>(bin.count) *
        std::abs(bin.accuracy() - bin.confidence());
  }
  return count() == 0 ? 0.0 : sum / static_cast<double>(count());
}

} // namespace vitrain::results
