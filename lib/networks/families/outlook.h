#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"

namespace vitrain::networks {

// Outlook attention (Yuan et al., "VOLO", section 3.1) over windows of 3 x 3
// pixels with stride 2, the first centred at pixel 0. A linear layer computes
// each window's mixing weights from the mean of the 2 x 2 pixels that begin at
// its centre; each output pixel is the sum over the windows that contain it.
class OutlookAttention : public torch::nn::Module {
 public:
  OutlookAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator);

  // [N, H, W, C] -> [N, H, W, C]
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  // Computes the weights between the pixels of each window: [N, H, W, C] -> [N,
  // ceil(H / 2), ceil(W / 2), heads, 9, 9].
  at::Tensor weights(const at::Tensor& x) const;

  std::int64_t heads_;
  std::shared_ptr<Linear> v_;
  std::shared_ptr<Linear> attn_;
  std::shared_ptr<Linear> proj_;
};

} // namespace vitrain::networks
