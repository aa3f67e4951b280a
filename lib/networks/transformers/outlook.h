#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"

namespace vitrain::networks {

// Attention within windows of 3 x 3 pixels that stand two pixels apart, the
// first around pixel 0 (Yuan et al., "VOLO", section 3.1): each window's pixels
// are mixed by weights that a linear layer makes from the mean around its
// middle, and a pixel is the sum over the windows that have it.
class OutlookAttention : public torch::nn::Module {
 public:
  OutlookAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator);

  // [N, H, W, C], to itself.
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  // Of the pixels in each window for each pixel in it: [N, H, W, C] -> [N,
  // ceil(H / 2), ceil(W / 2), heads, 9, 9].
  at::Tensor weights(const at::Tensor& x) const;

  std::int64_t heads_;
  std::shared_ptr<Linear> v_;
  std::shared_ptr<Linear> attn_;
  std::shared_ptr<Linear> proj_;
};

} // namespace vitrain::networks
