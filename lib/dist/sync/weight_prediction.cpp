#include "dist/sync/weight_prediction.h"

#include <cassert>
#include <utility>

#include <ATen/ATen.h>

namespace vitrain::dist {

WeightPrediction::WeightPrediction(std::vector<at::Tensor> buffers)
    : buffers_(std::move(buffers)) {
  for (const at::Tensor& buffer : buffers_) {
    saved_.push_back(at::empty_like(buffer));
  }
}

void WeightPrediction::make(const std::function<void()>& update) {
  assert(!made_);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    saved_[i].copy_(buffers_[i]);
  }
  made_ = true;
  update();
}

void WeightPrediction::take_back() {
  if (!std::exchange(made_, false)) {
    return;
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i].copy_(saved_[i]);
  }
}

} // namespace vitrain::dist
