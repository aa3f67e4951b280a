#pragma once

#include <cstdint>

namespace vitrain::dist {

// Running mean of a quantity, each value weighted by its number of samples
// (PaddleViT's AverageMeter). To get an exact mean over all workers, pass sum()
// and count() through reduce_dict().
class AverageMeter {
 public:
  // Adds `value`, the mean of `n` samples.
  void update(double value, std::int64_t n = 1) {
    sum_ += value * static_cast<double>(n);
    count_ += n;
  }
  // Adds the sum and count of another meter.
  void merge(double sum, std::int64_t count) {
    sum_ += sum;
    count_ += count;
  }
  void reset() { *this = {}; }

  double sum() const { return sum_; }
  std::int64_t count() const { return count_; }
  // Mean so far; 0 before the first update.
  double avg() const {
    return count_ > 0 ? sum_ / static_cast<double>(count_) : 0.0;
  }

 private:
  double sum_ = 0.0;
  std::int64_t count_ = 0;
};

} // namespace vitrain::dist
