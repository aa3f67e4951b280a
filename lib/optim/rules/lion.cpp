#include <array>

#include "optim/element_optimizer.h"
#include "optim/rules/update_rules.h"

namespace vitrain::optim {
namespace {

// Lion (Chen et al., "Symbolic discovery of optimization algorithms", NeurIPS
// 2023).
struct LionRule : ElementRule {
  static constexpr std::array kStates{"exp_avg"};

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

const MakeOptimizer make_lion = construct<ElementOptimizer<LionRule>>;

} // namespace vitrain::optim
