#include "networks/transformers/vit_norm.h"

#include <ATen/ATen.h>

namespace vitrain::networks {

VitNorm::VitNorm(std::int64_t width, double eps, Kind kind) : eps_(eps) {
  weight = register_parameter("weight", at::ones({width}));
  if (kind == Kind::kLayer) {
    bias = register_parameter("bias", at::zeros({width}));
  }
}

VitNorm::VitNorm(const models::VitSpec& spec, std::int64_t width)
    : VitNorm(
          width,
          spec.norm_eps,
          spec.rms_norm ? Kind::kRootMeanSquare : Kind::kLayer) {}

at::Tensor VitNorm::operator()(const at::Tensor& x) const {
  if (x.is_meta()) {
    return at::empty_like(x); // torch has no kernel for shapes alone
  }
  if (bias.defined()) {
    return at::layer_norm(x, weight.sizes(), weight, bias, eps_);
  }
  // Squares of bf16 have too few digits to be summed.
  const at::Tensor wide =
      x.to(at::promote_types(x.scalar_type(), weight.scalar_type()));
  const at::Tensor square = wide.square().mean(-1, /*keepdim=*/true);
  return wide * at::rsqrt(square + eps_) * weight;
}

} // namespace vitrain::networks
