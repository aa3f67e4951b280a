#include <array>

#include "optim/element_optimizer.h"
#include "optim/rules/rules.h"

namespace vitrain::optim {
namespace {

// Duchi et al., "Adaptive subgradient methods", JMLR 2011, as
// torch.optim.Adagrad computes it.
struct AdagradRule {
  static constexpr std::array kStates{"sum"};
  static constexpr std::array kFill{0.0};
  static constexpr bool kKeepsSteps = false;

  template <typename T, typename S>
  static auto
  kernel(const RuleOptions& options, const S& lr, const S& /*count*/) {
    return Kernel{
        T(1.0),
        [rate = T(lr),
         decay = T(options.weight_decay),
         small = T(options.numbers.eps)](
            const T& w, const T& gradient, std::array<T, 1>& state) {
          const T g = gradient + w * decay;
          state[0] = state[0] + g * g;
          return g * rate / (sqrt(state[0]) + small);
        }};
  }
};

} // namespace

std::unique_ptr<Optimizer> make_adagrad(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return std::make_unique<ElementOptimizer<AdagradRule>>(parameters, options);
}

} // namespace vitrain::optim
