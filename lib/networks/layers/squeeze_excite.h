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

// x [N, C, H, W] times a factor in (0, 1) for each channel of each image, which
// the means of the channels decide.
class ChannelGate : public torch::nn::Module {
 public:
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  // Means [N, C] to factors before their sigmoid.
  virtual at::Tensor factors(const at::Tensor& means) const = 0;
};

// Two layers (Hu et al., "Squeeze-and-excitation networks", CVPR 2018).
class SqueezeExcite : public ChannelGate {
 public:
  // `reduced`: the channels between the two layers, followed by `after`.
  // `reduce`, `expand`: the names of the two.
  SqueezeExcite(
      std::int64_t channels,
      std::int64_t reduced,
      Nonlinearity after,
      const at::Generator& generator,
      const char* reduce,
      const char* expand);

 private:
  at::Tensor factors(const at::Tensor& means) const override;

  Nonlinearity after_;
  std::shared_ptr<Conv2d> reduce_;
  std::shared_ptr<Conv2d> expand_;
};

// A convolution over neighbouring channels: "conv.weight" (Wang et al.,
// "ECA-Net", CVPR 2020).
class EcaGate : public ChannelGate {
 public:
  EcaGate(std::int64_t channels, const at::Generator& generator);

 private:
  at::Tensor factors(const at::Tensor& means) const override;

  at::Tensor weight_; // [1, 1, kernel]
};

} // namespace vitrain::networks
