#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

namespace vitrain::dist {

// Predicts the weights at the time when a gradient that is computed now will be
// applied, for modes in which other updates come in between (Chen et al.,
// "Efficient and robust parallel DNN training through model parallelism on
// multi-GPU platform" (SpecTrain), 2018). The prediction is an update by the
// real optimizer, which is undone before the next real update.
class WeightPrediction {
 public:
  // `buffers`: all tensors that an update changes, parameters and optimizer
  // state. Allocates a copy of each.
  explicit WeightPrediction(std::vector<at::Tensor> buffers);

  // Saves the buffers, then calls `update` to change them. The previous
  // prediction must have been taken back.
  void make(const std::function<void()>& update);
  // Restores the buffers bit by bit to their state before make(). Does nothing
  // if there is no prediction.
  void take_back();

 private:
  std::vector<at::Tensor> buffers_;
  std::vector<at::Tensor> saved_;
  bool made_ = false;
};

} // namespace vitrain::dist
