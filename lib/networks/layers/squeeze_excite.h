#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"

namespace vitrain::networks {

// Returns the mean over the pixels: [N, C, H, W] -> [N, C]. Fast for
// channels_last images, where pixels are rows in memory.
at::Tensor mean_over_pixels(const at::Tensor& x);

enum class Gate {
  kSigmoid,
  kHardSigmoid, // relu6(x + 3) / 6
};

// Multiplies each channel of x [N, C, H, W] by a factor in [0, 1] that is
// computed from the channels' means.
class ChannelGate : public torch::nn::Module {
 public:
  explicit ChannelGate(Gate gate = Gate::kSigmoid) : gate_(gate) {}

  at::Tensor operator()(const at::Tensor& x) const;

 private:
  // Maps channel means [N, C] to the gate's inputs [N, C].
  virtual at::Tensor factors(const at::Tensor& means) const = 0;

  Gate gate_;
};

// Gate of two layers (Hu et al., "Squeeze-and-excitation networks", CVPR 2018).
class SqueezeExcite : public ChannelGate {
 public:
  // `reduced`: channels between the two layers. `after`: nonlinearity between
  // them. `reduce`, `expand`: names of the first and the second layer.
  SqueezeExcite(
      std::int64_t channels,
      std::int64_t reduced,
      Nonlinearity after,
      const at::Generator& generator,
      const char* reduce,
      const char* expand,
      Gate gate = Gate::kSigmoid);

 private:
  at::Tensor factors(const at::Tensor& means) const override;

  Nonlinearity after_;
  std::shared_ptr<Conv2d> reduce_;
  std::shared_ptr<Conv2d> expand_;
};

// Gate of one convolution over neighbouring channels, "conv.weight" (Wang et
// al., "ECA-Net", CVPR 2020).
class EcaGate : public ChannelGate {
 public:
  EcaGate(std::int64_t channels, const at::Generator& generator);

 private:
  at::Tensor factors(const at::Tensor& means) const override;

  at::Tensor weight_; // [1, 1, kernel]
};

} // namespace vitrain::networks
