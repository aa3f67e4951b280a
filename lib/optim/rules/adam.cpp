#include <optional>

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>

#include "optim/rules/adamw_rule.h"
#include "optim/rules/update_rules.h"

namespace vitrain::optim {
namespace {

// torch.optim.Adam (or AdamW, if kDecoupled), by torch's fused kernels.
template <bool kDecoupled>
class FusedAdam final : public Optimizer {
 public:
  FusedAdam(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters),
        numbers_(options.numbers()),
        first_(add_buffers("exp_avg")),
        second_(add_buffers("exp_avg_sq")) {}

  bool divides_gradients() const override { return true; }

 private:
  void update(std::size_t index, const Rate& rate) override {
    FlatGroup& group = parameters_.groups()[index];
    const auto call = [&](auto&& kernel) {
      kernel(
          at::TensorList{own(group, group.parameters)},
          at::TensorList{own(group, group.gradients)},
          at::TensorList{own_state(group, first_[index])},
          at::TensorList{own_state(group, second_[index])},
          /*max_exp_avg_sqs=*/at::TensorList{},
          at::TensorList{rate.count},
          rate.lr_tensor,
          numbers_.betas[0],
          numbers_.betas[1],
          group.weight_decay,
          numbers_.eps,
          /*amsgrad=*/false,
          /*maximize=*/false,
          /*grad_scale=*/rate.divisor.defined() ? std::optional(rate.divisor)
                                                : std::nullopt,
          rate.non_finite);
    };
    if constexpr (kDecoupled) {
      call([](auto&&... arguments) { at::_fused_adamw_(arguments...); });
    } else {
      call([](auto&&... arguments) { at::_fused_adam_(arguments...); });
    }
  }

  config::OptimNumbers numbers_;
  Buffers& first_;
  Buffers& second_;
};

std::unique_ptr<Optimizer> make_adamw_or_cautious(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return options.cautious
      ? construct<ElementOptimizer<AdamWRule</*kNesterov=*/false>>>(
            parameters, options)
      : construct<FusedAdam</*kDecoupled=*/true>>(parameters, options);
}

} // namespace

const MakeOptimizer make_adam = construct<FusedAdam</*kDecoupled=*/false>>;
const MakeOptimizer make_adamw = make_adamw_or_cautious;
const MakeOptimizer make_nadamw =
    construct<ElementOptimizer<AdamWRule</*kNesterov=*/true>>>;

} // namespace vitrain::optim
