#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "results/outcome.h"

namespace vitrain::results {

// Calibration of probabilities (Guo et al., "On calibration of modern neural
// networks", ICML 2017): predictions are grouped into bins (low, high] of their
// confidence; 0 is in the first bin.
class Calibration {
 public:
  static constexpr std::size_t kBins = 15; // of equal width, as in the paper

  struct Bin {
    std::int64_t count = 0;
    std::int64_t correct = 0;
    double confidence_sum = 0;

    double accuracy() const; // correct / count; 0 if empty
    double confidence() const; // mean; 0 if empty
    // "overconfident", "underconfident" or, also if empty, "confidence equals
    // accuracy"
    const char* tendency() const;
  };

  // Ignores outcomes without a prediction. Without any other, all numbers below
  // are 0.
  explicit Calibration(std::span<const Outcome> outcomes);

  const std::array<Bin, kBins>& bins() const { return bins_; }
  std::int64_t count() const { return all_.count; }
  double accuracy() const { return all_.accuracy(); }
  double confidence() const { return all_.confidence(); }
  const char* tendency() const { return all_.tendency(); }
  // Expected calibration error: mean over the bins of |accuracy - confidence|,
  // weighted by their counts.
  double error() const;

 private:
  std::array<Bin, kBins> bins_;
  Bin all_;
};

} // namespace vitrain::results
