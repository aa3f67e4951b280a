#include <array>

#include "optim/element_optimizer.h"
#include "optim/rules/rules.h"

namespace vitrain::optim {
namespace {

// Chen et al., "Symbolic discovery of optimization algorithms", NeurIPS 2023.
struct LionRule {
  static constexpr std::array kStates{"exp_avg"};
  static constexpr std::array kFill{0.0};
  static constexpr bool kKeepsSteps = false;

  template <typename T, typename S>
  static auto
  kernel(const RuleOptions& options, const S& lr, const S& /*count*/) {
    const auto& betas = options.numbers.betas;
    return Kernel{
        T(1.0 - lr * options.weight_decay),
        [rate = T(lr), fresh1 = T(1.0 - betas[0]), fresh2 = T(1.0 - betas[1])](
            const T&, const T& g, std::array<T, 1>& state) {
          const T step = sign(mixed(state[0], g, fresh1)) * rate;
          state[0] = mixed(state[0], g, fresh2);
          return step;
        }};
  }
};

} // namespace

std::unique_ptr<Optimizer> make_lion(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return std::make_unique<ElementOptimizer<LionRule>>(parameters, options);
}

} // namespace vitrain::optim
