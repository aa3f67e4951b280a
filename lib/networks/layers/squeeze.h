#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"

namespace vitrain::networks {

// [N, C, H, W] -> [N, C]. Pixels are rows where they lie so in memory.
at::Tensor mean_over_pixels(const at::Tensor& x);

// x times one factor for each of its channels, in (0, 1), which two layers make
// from the channels' means (Hu et al., "Squeeze-and-excitation networks", CVPR
// 2018).
class SqueezeExcite : public torch::nn::Module {
 public:
  // `reduced`: the channels between the two layers, followed by `after`.
  // `reduce`, `expand`: the names of the two.
  SqueezeExcite(
      std::int64_t width,
      std::int64_t reduced,
      Nonlinearity after,
      const at::Generator& generator,
      const char* reduce = "conv_reduce",
      const char* expand = "conv_expand");

  // [N, C, H, W], to itself.
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  Nonlinearity after_;
  std::shared_ptr<Conv2d> reduce_;
  std::shared_ptr<Conv2d> expand_;
};

// Starts a convolution: normal with variance 2 / (outputs of a group x kernel
// area), and a bias of zero.
void normal_by_group_fan_out(Conv2d& conv, const at::Generator& generator);

} // namespace vitrain::networks
