#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros_like.h>

#include "optim/optimizers.h"

namespace vitrain::optim {
namespace {

// SGD whose gradients come with their momentum. Momentum is linear: the buffer
// keeps that of the weight decay, which is added here.
class VelocitySgd final : public Optimizer {
 public:
  VelocitySgd(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters),
        momentum_(options.numbers().momentum),
        nesterov_(options.nesterov),
        decoupled_(options.decoupled),
        buffers_(add_buffers("momentum_buffer")) {
    if (options.lookahead.every) {
      look_ahead(options.lookahead);
    }
  }

 private:
  void update(std::size_t index, const Rate& rate) override {
    FlatGroup& group = parameters_.groups()[index];
    const at::Tensor weights = own(group, group.parameters);
    const at::Tensor gradients = own(group, group.gradients);
    if (decoupled_ && group.weight_decay > 0.0) {
      const double lost = rate.lr * group.weight_decay;
      weights.mul_((1.0 - rate.non_finite) * -lost + 1.0);
    }
    at::_fused_sgd_(
        {weights},
        {at::zeros_like(gradients)},
        {own_state(group, buffers_[index])},
        decoupled_ ? 0.0 : group.weight_decay,
        momentum_,
        rate.lr_tensor,
        /*dampening=*/0.0,
        nesterov_,
        /*maximize=*/false,
        /*is_first_step=*/false,
        /*grad_scale=*/std::nullopt,
        rate.non_finite);
    move(weights, /*keep=*/1.0, gradients, rate.lr, rate);
  }

  double momentum_;
  bool nesterov_;
  bool decoupled_;
  Buffers& buffers_;
};

} // namespace

std::unique_ptr<Optimizer> make_velocity_sgd(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return std::make_unique<VelocitySgd>(parameters, options);
}

} // namespace vitrain::optim
