#include <ATen/ATen.h>

#include "optim/rules/fused_sgd.h"
#include "optim/rules/update_rules.h"
#include "optim/trust_ratio.h"

namespace vitrain::optim {
namespace {

// LARS (You et al., "Large batch training of convolutional networks", 2017) as
// timm computes it: in groups with weight decay the sum of gradient and L2 term
// is multiplied by the trust ratio before momentum.
class Lars final : public Optimizer {
 public:
  Lars(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters),
        options_(options),
        numbers_(options.numbers()),
        momentum_(
            numbers_.momentum > 0.0 ? &add_buffers("momentum_buffer")
                                    : nullptr),
        directions_(zeros_of_largest(parameters)) {}

 private:
  void update(std::size_t index, const Rate& rate) override {
    FlatGroup& group = parameters_.groups()[index];
    const at::Tensor weights = own(group, group.parameters);
    at::Tensor gradients = own(group, group.gradients);
    if (group.weight_decay > 0.0) {
      at::Tensor directions = directions_.narrow(0, 0, group.own_size);
      at::add_out(directions, gradients, weights, group.weight_decay);
      scale_by_norms(
          own_segments(group),
          group.own_begin,
          weights,
          gradients,
          directions,
          [&](const at::Tensor& of_weights, const at::Tensor& of_gradients) {
            return of_weights * options_.trust_coefficient /
                (of_gradients + of_weights * group.weight_decay + numbers_.eps);
          });
      gradients = directions;
    }
    std::vector<at::Tensor> buffer;
    if (momentum_ != nullptr) {
      buffer.push_back(own_state(group, (*momentum_)[index]));
    }
    fused_sgd(
        weights,
        gradients,
        buffer,
        {.momentum = numbers_.momentum, .nesterov = options_.nesterov},
        rate);
  }

  config::OptimConfig options_;
  config::OptimNumbers numbers_;
  Buffers* momentum_;
  at::Tensor directions_; // scratch buffer, as large as the largest group
};

} // namespace

const MakeOptimizer make_lars = construct<Lars>;

} // namespace vitrain::optim
