#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verbs/trial.h"

namespace vitrain::verbs {

// Loss of a step and its learning rate.
struct LossAt {
  double lr = 0.0;
  double loss = 0.0;
};

// Result of a range test (Smith, "Cyclical learning rates for training neural
// networks", 2017; interpreted as in fastai).
struct RangeTest {
  // Exponential moving averages (factor 0.9 per step, bias-corrected) before
  // the first step where they exceed twice their minimum or are not finite.
  std::vector<LossAt> smooth;
  std::optional<double> steepest; // lr of the steepest descent over log lr
  std::optional<double> before_lowest; // a tenth of the lr at the minimum
};
// Smooths the losses of a range test and derives two suggestions. Both stay
// empty if there are at most 12 averages, or if the averages do not fall by
// 2 %; `steepest` also stays empty if they fall only in the first ten steps.
RangeTest read_range_test(const std::vector<LossAt>& losses);

// Trains `steps` steps with a learning rate that rises from 1e-6 to 10, prints
// the loss over it and suggests an optim.lr. Removes its files. Throws Error if
// training fails.
void find_learning_rate(const Subject& subject, std::int64_t steps);

} // namespace vitrain::verbs
