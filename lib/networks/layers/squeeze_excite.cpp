#include "networks/layers/squeeze_excite.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

#include "networks/layers/init.h"

namespace vitrain::networks {
namespace {

// Returns the kernel size: equation 12 of the paper with gamma = 2, b = 1, that
// is log2(2 channels) / 2, rounded down and then up to an odd number, at least
// 3, as in timm.
std::int64_t eca_kernel(std::int64_t channels) {
  const auto half = static_cast<std::int64_t>(
      (std::log2(static_cast<double>(channels)) + 1.0) / 2.0);
  return std::max<std::int64_t>(half % 2 == 1 ? half : half + 1, 3);
}

} // namespace

at::Tensor mean_over_pixels(const at::Tensor& x) {
  return x.permute({0, 2, 3, 1}).flatten(1, 2).mean(1);
}

at::Tensor ChannelGate::operator()(const at::Tensor& x) const {
  const at::Tensor inputs = factors(mean_over_pixels(x));
  const at::Tensor gate =
      gate_ == Gate::kSigmoid ? at::sigmoid(inputs) : at::hardsigmoid(inputs);
  return x * gate.to(x.scalar_type()).unsqueeze(-1).unsqueeze(-1);
}

SqueezeExcite::SqueezeExcite(
    std::int64_t channels,
    std::int64_t reduced,
    Nonlinearity after,
    const at::Generator& generator,
    const char* reduce,
    const char* expand,
    Gate gate)
    : ChannelGate(gate), after_(after) {
  const Conv2d::Shape down{.in = channels, .out = reduced, .bias = true};
  const Conv2d::Shape up{.in = reduced, .out = channels, .bias = true};
  reduce_ = add_layer<Conv2d>(*this, reduce, down, generator);
  expand_ = add_layer<Conv2d>(*this, expand, up, generator);
}

at::Tensor SqueezeExcite::factors(const at::Tensor& means) const {
  return expand_->pointwise(apply_in_place(reduce_->pointwise(means), after_));
}

EcaGate::EcaGate(std::int64_t channels, const at::Generator& generator) {
  const auto conv = add_layer<torch::nn::Module>(*this, "conv");
  weight_ = conv->register_parameter(
      "weight", new_weights({1, 1, eca_kernel(channels)}, generator));
  uniform_by_fan_in(weight_, generator);
}

at::Tensor EcaGate::factors(const at::Tensor& means) const {
  const std::int64_t kernel = weight_.size(2);
  return at::constant_pad_nd(means, {kernel / 2, kernel / 2})
      .unfold(1, kernel, 1)
      .mul(weight_.flatten())
      .sum(-1);
}

} // namespace vitrain::networks
