#include <ATen/ATen.h>

#include "optim/rules/fused_sgd.h"
#include "optim/rules/update_rules.h"

namespace vitrain::optim {
namespace {

// SGD: momentum and coupled L2 as torch.optim.SGD computes them, or decoupled
// weight decay as in timm's SGDW.
class Sgd : public Optimizer {
 public:
  Sgd(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters),
        momentum_(options.numbers().momentum),
        nesterov_(options.nesterov),
        decoupled_(options.decoupled),
        buffers_(momentum_ > 0.0 ? &add_buffers("momentum_buffer") : nullptr) {}

 protected:
  void update(std::size_t index, const Rate& rate) override {
    const FlatGroup& group = parameters_.groups()[index];
    update_with(own(group, group.gradients), index, rate);
  }

  void update_with(
      const at::Tensor& gradients,
      std::size_t index,
      const Rate& rate) {
    const FlatGroup& group = parameters_.groups()[index];
    const at::Tensor weights = own(group, group.parameters);
    if (decoupled_ && group.weight_decay > 0.0) {
      const double lost = rate.lr * group.weight_decay;
      weights.mul_((1.0 - rate.non_finite) * -lost + 1.0);
    }
    std::vector<at::Tensor> buffer;
    if (buffers_ != nullptr) {
      buffer.push_back(own_state(group, (*buffers_)[index]));
    }
    fused_sgd(
        weights,
        gradients,
        buffer,
        {.weight_decay = decoupled_ ? 0.0 : group.weight_decay,
         .momentum = momentum_,
         .nesterov = nesterov_},
        rate);
  }

 private:
  double momentum_;
  bool nesterov_;
  bool decoupled_;
  Buffers* buffers_;
};

// SGD for gradients that already contain momentum. Momentum is linear, so the
// buffer holds the momentum of the weight decay alone.
class VelocitySgd final : public Sgd {
 public:
  VelocitySgd(FlatState& parameters, const config::OptimConfig& options)
      : Sgd(parameters, options) {
    if (options.lookahead.every) {
      look_ahead(options.lookahead);
    }
  }

 private:
  void update(std::size_t index, const Rate& rate) override {
    const FlatGroup& group = parameters_.groups()[index];
    const at::Tensor gradients = own(group, group.gradients);
    update_with(at::zeros_like(gradients), index, rate);
    move(own(group, group.parameters), /*keep=*/1.0, gradients, rate.lr, rate);
  }
};

} // namespace

const MakeOptimizer make_sgd = construct<Sgd>;

std::unique_ptr<Optimizer> make_velocity_sgd(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return construct<VelocitySgd>(parameters, options);
}

} // namespace vitrain::optim
