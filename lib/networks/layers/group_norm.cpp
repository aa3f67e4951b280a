#include "networks/layers/group_norm.h"

#include <ATen/ATen.h>

namespace vitrain::networks {

GroupNorm::GroupNorm(std::int64_t channels, std::int64_t groups)
    : groups_(groups) {
  weight = register_parameter("weight", at::ones({channels}));
  bias = register_parameter("bias", at::zeros({channels}));
}

at::Tensor GroupNorm::operator()(const at::Tensor& x) const {
  if (x.is_meta()) {
    return at::empty_like(x); // no meta kernel
  }
  return at::group_norm(x, groups_, weight, bias);
}

BatchOrGroupNorm::BatchOrGroupNorm(
    torch::nn::Module& owner,
    const std::string& name,
    std::int64_t channels,
    std::int64_t groups) {
  if (groups == 0) {
    batch_ = add_layer<BatchNorm2d>(owner, name, channels);
  } else {
    group_ = add_layer<GroupNorm>(owner, name, channels, groups);
  }
}

at::Tensor BatchOrGroupNorm::operator()(const at::Tensor& x) const {
  return batch_ ? norm_only(*batch_, x) : (*group_)(x);
}

Fork BatchOrGroupNorm::relu(const at::Tensor& x, const at::Tensor& residual)
    const {
  if (batch_) {
    return norm_relu(*batch_, x, residual);
  }
  at::Tensor y = (*group_)(x);
  if (residual.defined()) {
    y = y.add_(residual);
  }
  y = y.relu_();
  return {y, y};
}

const at::Tensor& BatchOrGroupNorm::weight() const {
  return batch_ ? batch_->weight : group_->weight;
}

} // namespace vitrain::networks
