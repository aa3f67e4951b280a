#include "engine/step/loss_scaler.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace vitrain::engine {

LossScaler::LossScaler(const LossScaling& options, at::Device device)
    : options_(options),
      scale_(at::full(
          {},
          options.initial,
          at::TensorOptions(device).dtype(at::kFloat))),
      finite_steps_(at::zeros({}, at::TensorOptions(device).dtype(at::kInt))) {}

at::Tensor LossScaler::scaled(const at::Tensor& loss) const {
  return loss * scale_;
}

void LossScaler::unscale(optim::FlatState& parameters) const {
  const at::NoGradGuard no_grad;
  const at::Tensor inverse = scale_.reciprocal();
  for (optim::FlatGroup& group : parameters.groups()) {
    group.gradients.mul_(inverse);
  }
}

void LossScaler::update(const at::Tensor& non_finite) {
  const at::NoGradGuard no_grad;
  at::_amp_update_scale_(
      scale_,
      finite_steps_,
      non_finite,
      options_.growth,
      options_.backoff,
      options_.interval);
}

std::map<std::string, at::Tensor> LossScaler::state() const {
  return {
      {"loss_scale.scale", scale_}, {"loss_scale.finite_steps", finite_steps_}};
}

} // namespace vitrain::engine
