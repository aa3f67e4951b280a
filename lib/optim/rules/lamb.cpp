#include <array>
#include <cmath>

#include "optim/element_optimizer.h"
#include "optim/rules/update_rules.h"
#include "optim/trust_ratio.h"

namespace vitrain::optim {
namespace {

// LAMB (You et al., "Large batch optimization for deep learning", ICLR 2020) as
// timm computes it, except that timm also clips the gradients first, which is
// optim.clip_norm here. Adam gives the direction. In groups with weight decay
// each parameter's step is multiplied by the ratio of the norms of weights and
// step.
struct LambRule : ElementRule {
  static constexpr std::array kStates{"exp_avg", "exp_avg_sq"};
  static constexpr bool kKeepsSteps = true;

  // Returns the coefficient of the L2 term in the direction. With `cautious` it
  // is added in finish(), after the direction has been compared with the
  // gradient.
  static double coupled(const RuleOptions& options) {
    return options.decoupled ? 0.0 : options.weight_decay;
  }

  template <typename T, typename S>
  static auto kernel(const RuleOptions& options, const S& lr, const S& count) {
    using std::pow;
    using std::sqrt;
    const auto& [betas, eps, momentum, alpha] = options.numbers;
    const S first = 1.0 - pow(betas[0], count);
    const S second = 1.0 - pow(betas[1], count);
    const double decoupled = options.decoupled ? options.weight_decay : 0.0;
    return Kernel{
        T(1.0 - lr * decoupled),
        [scale = T(1.0 / first),
         root = T(1.0 / sqrt(second)),
         small = T(eps),
         decay = T(options.cautious ? 0.0 : coupled(options)),
         fresh1 = T(1.0 - betas[0]),
         keep2 = T(betas[1]),
         fresh2 = T(1.0 - betas[1])](
            const T& w, const T& g, std::array<T, 2>& state) {
          auto& [mean, square] = state;
          mean = mixed(mean, g, fresh1);
          square = square * keep2 + g * g * fresh2;
          return mean * scale / (sqrt(square) * root + small) + w * decay;
        }};
  }
};

class Lamb final : public ElementOptimizer<LambRule> {
 public:
  using ElementOptimizer::ElementOptimizer;

 private:
  void finish(
      const FlatGroup& group,
      const at::Tensor& weights,
      const at::Tensor& steps,
      const Rate& rate) override {
    const RuleOptions options = rule_options(options_, group);
    if (options.cautious && LambRule::coupled(options) > 0.0) {
      steps.add_(weights * (1.0 - rate.non_finite), LambRule::coupled(options));
    }
    if (group.weight_decay > 0.0) {
      scale_by_norms(
          own_segments(group),
          group.own_begin,
          weights,
          steps,
          steps,
          [](const at::Tensor& of_weights, const at::Tensor& of_steps) {
            return of_weights / of_steps;
          });
    }
    weights.sub_(steps, rate.lr);
  }
};

} // namespace

const MakeOptimizer make_lamb = construct<Lamb>;

} // namespace vitrain::optim
