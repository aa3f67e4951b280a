#include <ATen/ops/_fused_sgd.h>

#include "optim/rules/rules.h"

namespace vitrain::optim {
namespace {

// Momentum and coupled L2 as torch.optim.SGD computes them, or decoupled
// weight decay as timm's SGDW.
class Sgd final : public Optimizer {
 public:
  Sgd(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters),
        momentum_(options.numbers().momentum),
        nesterov_(options.nesterov),
        decoupled_(options.decoupled),
        buffers_(momentum_ > 0.0 ? &add_buffers("momentum_buffer") : nullptr) {}

 private:
  void update(std::size_t index, const Rate& rate) override {
    FlatGroup& group = parameters_.groups()[index];
    const at::Tensor weights = own(group, group.parameters);
    std::vector<at::Tensor> buffer;
    if (buffers_ != nullptr) {
      buffer.push_back(own_state(group, (*buffers_)[index]));
    }
    if (decoupled_ && group.weight_decay > 0.0) {
      const double lost = rate.lr * group.weight_decay;
      weights.mul_((1.0 - rate.non_finite) * -lost + 1.0);
    }
    // The buffer starts as zeros: momentum x 0 + gradient is what torch's first
    // step makes of an empty buffer.
    at::_fused_sgd_(
        {weights},
        {own(group, group.gradients)},
        buffer,
        decoupled_ ? 0.0 : group.weight_decay,
        momentum_,
        rate.lr_tensor,
        /*dampening=*/0.0,
        nesterov_,
        /*maximize=*/false,
        /*is_first_step=*/false,
        /*grad_scale=*/std::nullopt,
        rate.non_finite);
  }

  double momentum_;
  bool nesterov_;
  bool decoupled_;
  Buffers* buffers_;
};

} // namespace

std::unique_ptr<Optimizer> make_sgd(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return std::make_unique<Sgd>(parameters, options);
}

} // namespace vitrain::optim
