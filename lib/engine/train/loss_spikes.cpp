#include "engine/train/loss_spikes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vitrain::engine {

bool LossSpikes::judge(double loss) {
  last_ = loss;
  if (!std::isfinite(loss)) {
    return false;
  }
  if (std::ssize(losses_) >= config_.window &&
      loss > *config_.factor * median()) {
    ++in_a_row_;
    return true;
  }
  in_a_row_ = 0;
  losses_.push_back(loss);
  keep_window();
  return false;
}

double LossSpikes::median() const {
  std::vector<double> sorted = losses_;
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half]
                                : (sorted[half - 1] + sorted[half]) / 2.0;
}

void LossSpikes::restore(std::vector<double> losses, std::int64_t in_a_row) {
  losses_ = std::move(losses);
  in_a_row_ = in_a_row;
  keep_window();
}

void LossSpikes::keep_window() {
  if (std::ssize(losses_) > config_.window) {
    losses_.erase(
        losses_.begin(),
        losses_.begin() + (std::ssize(losses_) - config_.window));
  }
}

} // namespace vitrain::engine
