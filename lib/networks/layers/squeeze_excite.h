#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"

namespace vitrain::networks {

// x [N, C, H, W] times a factor in (0, 1) for each channel of each image, which
// the means of the channels decide.
class ChannelGate : public torch::nn::Module {
 public:
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  // Means [N, C] to factors before their sigmoid.
  virtual at::Tensor factors(const at::Tensor& means) const = 0;
};

// Two layers with a ReLU between them: "fc1" and "fc2" (Hu et al.,
// "Squeeze-and-excitation networks", CVPR 2018).
class SqueezeGate : public ChannelGate {
 public:
  SqueezeGate(
      std::int64_t channels,
      std::int64_t hidden,
      const at::Generator& generator);

 private:
  at::Tensor factors(const at::Tensor& means) const override;

  std::shared_ptr<Conv2d> fc1_;
  std::shared_ptr<Conv2d> fc2_;
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
