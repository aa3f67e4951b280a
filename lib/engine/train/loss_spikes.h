#pragma once

#include <cstdint>
#include <vector>

#include "config/sections/spike.h"

namespace vitrain::engine {

// Finds steps whose loss is far above the losses of the steps before
// (train.on_spike).
class LossSpikes {
 public:
  explicit LossSpikes(const config::SpikeConfig& config) : config_(config) {}

  // Judges the loss of the next step, a mean over the samples of all workers.
  // Returns true if `window` losses are known and it is more than `factor`
  // times their median(); then it is not added to them. Losses that are not
  // finite are neither spikes nor added.
  bool judge(double loss);

  double last() const { return last_; } // last argument of judge()
  // Returns the median of losses(), which must not be empty: of an even number
  // the mean of the two in the middle.
  double median() const;
  // Returns the number of spikes since the last loss that was added.
  std::int64_t in_a_row() const { return in_a_row_; }

  // The last losses that were no spikes, at most `window`, oldest first: with
  // in_a_row() the state for a checkpoint.
  const std::vector<double>& losses() const { return losses_; }
  // Restores losses() and in_a_row(). Keeps the newest `window` losses.
  void restore(std::vector<double> losses, std::int64_t in_a_row);

 private:
  void keep_window();

  config::SpikeConfig config_;
  std::vector<double> losses_;
  double last_ = 0.0;
  std::int64_t in_a_row_ = 0;
};

} // namespace vitrain::engine
