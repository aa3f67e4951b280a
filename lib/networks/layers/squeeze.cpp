#include "networks/layers/squeeze.h"

#include <cmath>

#include <ATen/ATen.h>

#include "networks/layers/init.h"

namespace vitrain::networks {

at::Tensor mean_over_pixels(const at::Tensor& x) {
  return x.permute({0, 2, 3, 1}).flatten(1, 2).mean(1);
}

SqueezeExcite::SqueezeExcite(
    std::int64_t width,
    std::int64_t reduced,
    Nonlinearity after,
    const at::Generator& generator,
    const char* reduce,
    const char* expand)
    : after_(after) {
  const Conv2d::Shape down{.in = width, .out = reduced, .bias = true};
  const Conv2d::Shape up{.in = reduced, .out = width, .bias = true};
  reduce_ = add_layer<Conv2d>(*this, reduce, down, generator);
  expand_ = add_layer<Conv2d>(*this, expand, up, generator);
}

at::Tensor SqueezeExcite::operator()(const at::Tensor& x) const {
  const at::Tensor hidden =
      apply_in_place(reduce_->pointwise(mean_over_pixels(x)), after_);
  const at::Tensor gate = expand_->pointwise(hidden).sigmoid_();
  return x * gate.unsqueeze(-1).unsqueeze(-1);
}

void normal_by_group_fan_out(Conv2d& conv, const at::Generator& generator) {
  const at::Tensor& weight = conv.weight;
  const std::int64_t fan_out =
      weight.size(0) * weight.size(2) * weight.size(3) / conv.groups();
  normal(weight, std::sqrt(2.0 / static_cast<double>(fan_out)), generator);
  if (conv.bias.defined()) {
    constant(conv.bias, 0.0);
  }
}

} // namespace vitrain::networks
