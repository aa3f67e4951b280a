#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

namespace vitrain::dist {

// Weights as they are expected to be when a gradient that is computed now is
// applied, for modes in which other updates come between (Chen et al.,
// "Efficient and robust parallel DNN training through model parallelism on
// multi-GPU platform" (SpecTrain), 2018). The guess is an update by the real
// optimizer, which is taken back before the next real one.
class Prediction {
 public:
  // `buffers`: all that an update changes, parameters and optimizer state.
  // Keeps a copy of each.
  explicit Prediction(std::vector<at::Tensor> buffers);

  // Remembers the buffers, then updates them. The prediction before has been
  // taken back.
  void make(const std::function<void()>& update);
  // Restores the buffers bit by bit to their state before make(). Does nothing
  // without a prediction.
  void take_back();

 private:
  std::vector<at::Tensor> buffers_;
  std::vector<at::Tensor> saved_;
  bool made_ = false;
};

} // namespace vitrain::dist
