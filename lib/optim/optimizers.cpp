#include "optim/optimizers.h"

#include <algorithm>
#include <array>

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>

#include "core/enum_names.h"

namespace vitrain::optim {
namespace {

// Loshchilov, Hutter, "Decoupled weight decay regularization", ICLR 2019, as
// torch.optim.AdamW computes it.
class AdamW final : public Optimizer {
 public:
  AdamW(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters),
        options_(options),
        first_(add_buffers("exp_avg")),
        second_(add_buffers("exp_avg_sq")) {}

 private:
  void update(
      std::size_t index,
      const at::Tensor& lr,
      const at::Tensor& non_finite) override {
    FlatGroup& group = parameters_.groups()[index];
    at::_fused_adamw_(
        {own(group, group.parameters)},
        {own(group, group.gradients)},
        {own_state(group, first_[index])},
        {own_state(group, second_[index])},
        /*max_exp_avg_sqs=*/{},
        {steps_},
        lr,
        options_.betas[0],
        options_.betas[1],
        group.weight_decay,
        options_.eps,
        /*amsgrad=*/false,
        /*maximize=*/false,
        /*grad_scale=*/std::nullopt,
        non_finite);
  }

  config::OptimConfig options_;
  Buffers& first_;
  Buffers& second_;
};

// Momentum and coupled L2, as torch.optim.SGD computes them.
class Sgd final : public Optimizer {
 public:
  Sgd(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters),
        options_(options),
        momentum_(
            options.momentum > 0 ? &add_buffers("momentum_buffer") : nullptr) {}

 private:
  void update(
      std::size_t index,
      const at::Tensor& lr,
      const at::Tensor& non_finite) override {
    FlatGroup& group = parameters_.groups()[index];
    std::vector<at::Tensor> buffer;
    if (momentum_ != nullptr) {
      buffer.push_back(own_state(group, (*momentum_)[index]));
    }
    // The buffer starts as zeros: momentum x 0 + gradient is what torch's first
    // step makes of an empty buffer.
    at::_fused_sgd_(
        {own(group, group.parameters)},
        {own(group, group.gradients)},
        buffer,
        group.weight_decay,
        options_.momentum,
        lr,
        /*dampening=*/0.0,
        options_.nesterov,
        /*maximize=*/false,
        /*is_first_step=*/false,
        /*grad_scale=*/std::nullopt,
        non_finite);
  }

  config::OptimConfig options_;
  Buffers* momentum_;
};

template <typename Kind>
std::unique_ptr<Optimizer> make(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return std::make_unique<Kind>(parameters, options);
}

constexpr auto kOptimizers = std::to_array<OptimizerInfo>({
    {.kind = config::OptimKind::kAdamW,
     .state_values = [](const config::OptimConfig&) { return 2; },
     .make = make<AdamW>},
    {.kind = config::OptimKind::kSgd,
     .state_values =
         [](const config::OptimConfig& options) {
           return options.momentum > 0.0 ? 1 : 0;
         },
     .make = make<Sgd>},
});

constexpr auto row_of(config::OptimKind kind) {
  return std::ranges::find(kOptimizers, kind, &OptimizerInfo::kind);
}

static_assert(
    std::ranges::none_of(
        names_of(config::OptimKind{}),
        [](const auto& one) { return row_of(one.value) == kOptimizers.end(); }),
    "each optim.name has its row");

} // namespace

const OptimizerInfo& optimizer_info(config::OptimKind kind) {
  return *row_of(kind);
}

std::unique_ptr<Optimizer> make_optimizer(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return optimizer_info(options.name).make(parameters, options);
}

} // namespace vitrain::optim
