#include <array>

#include "optim/element_optimizer.h"
#include "optim/rules/update_rules.h"

namespace vitrain::optim {
namespace {

// RMSProp (Hinton, "Neural networks for machine learning", lecture 6) as
// torch.optim.RMSprop computes it.
template <bool kMomentum>
struct RmsPropRule : ElementRule {
  static constexpr auto kStates = [] {
    if constexpr (kMomentum) {
      return std::array{"square_avg", "momentum_buffer"};
    } else {
      return std::array{"square_avg"};
    }
  }();

  template <typename T, typename S>
  static auto
  kernel(const RuleOptions& options, const S& lr, const S& /*count*/) {
    const auto& [betas, eps, momentum, alpha] = options.numbers;
    return Kernel{
        T(1.0),
        [rate = T(lr),
         decay = T(options.weight_decay),
         keep = T(alpha),
         fresh = T(1.0 - alpha),
         pace = T(momentum),
         small = T(eps)](
            const T& w,
            const T& gradient,
            std::array<T, kStates.size()>& state) {
          const T g = gradient + w * decay;
          state[0] = state[0] * keep + g * g * fresh;
          const T scaled = g / (sqrt(state[0]) + small);
          if constexpr (kMomentum) {
            state[1] = state[1] * pace + scaled;
            return state[1] * rate;
          } else {
            return scaled * rate;
          }
        }};
  }
};

// RMSProp of TensorFlow and timm: averages start at 1, eps is under the root,
// and the momentum buffer includes the learning rate.
template <bool kMomentum>
struct RmsPropTfRule : ElementRule {
  static constexpr auto kStates = RmsPropRule<kMomentum>::kStates;

  static double fill(std::size_t state) { return state == 0 ? 1.0 : 0.0; }

  template <typename T, typename S>
  static auto
  kernel(const RuleOptions& options, const S& lr, const S& /*count*/) {
    const auto& [betas, eps, momentum, alpha] = options.numbers;
    const double coupled = options.decoupled ? 0.0 : options.weight_decay;
    const double decoupled = options.decoupled ? options.weight_decay : 0.0;
    return Kernel{
        T(1.0 - lr * decoupled),
        [rate = T(lr),
         decay = T(coupled),
         fresh = T(1.0 - alpha),
         pace = T(momentum),
         small = T(eps)](
            const T& w, T& g, std::array<T, kStates.size()>& state) {
          g = g + w * decay;
          state[0] = state[0] + (g * g - state[0]) * fresh;
          const T step = g * rate / sqrt(state[0] + small);
          if constexpr (kMomentum) {
            state[1] = state[1] * pace + step;
            return state[1];
          } else {
            return step;
          }
        }};
  }
};

template <template <bool> typename Rule>
std::unique_ptr<Optimizer> make_with_momentum(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return options.numbers().momentum > 0.0
      ? construct<ElementOptimizer<Rule<true>>>(parameters, options)
      : construct<ElementOptimizer<Rule<false>>>(parameters, options);
}

} // namespace

const MakeOptimizer make_rmsprop = make_with_momentum<RmsPropRule>;
const MakeOptimizer make_rmsprop_tf = make_with_momentum<RmsPropTfRule>;

} // namespace vitrain::optim
