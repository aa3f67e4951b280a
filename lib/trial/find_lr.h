#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trial/trial.h"

namespace vitrain::trial {

// A loss, and the learning rate of its step.
struct LossAt {
  double lr = 0.0;
  double loss = 0.0;
};

// What a range test shows (Smith, "Cyclical learning rates for training neural
// networks", 2017; how it is read is fastai's).
struct RangeTest {
  // Means that forget (factor 0.9 a step, corrected for their start), up to
  // where they are twice their least or not finite.
  std::vector<LossAt> smooth;
  std::optional<double> steepest; // lr where they fall fastest over log lr
  std::optional<double> before_lowest; // a tenth of that where they are least
};
// Nothing is suggested where the means do not fall by 2 %.
RangeTest read_range_test(const std::vector<LossAt>& losses);

// Trains `steps` steps with a learning rate that rises from 1e-6 to 10, shows
// the loss over it on stdout and suggests an optim.lr. Nothing is left behind.
void find_learning_rate(const Subject& subject, std::int64_t steps);

} // namespace vitrain::trial
