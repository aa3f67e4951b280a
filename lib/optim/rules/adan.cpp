#include <array>
#include <cmath>

#include <ATen/ATen.h>

#include "optim/element_optimizer.h"
#include "optim/rules/update_rules.h"

namespace vitrain::optim {
namespace {

// Adan (Xie et al., "Adan: adaptive Nesterov momentum algorithm", 2022) as timm
// computes it, with weight decay as a proximal step.
struct AdanRule : ElementRule {
  static constexpr std::array kStates{
      "exp_avg",
      "exp_avg_diff",
      "exp_avg_sq",
      "previous_grad"};

  template <typename T, typename S>
  static auto kernel(const RuleOptions& options, const S& lr, const S& count) {
    using std::pow;
    using std::sqrt;
    const auto& [betas, eps, momentum, alpha] = options.numbers;
    const S keep = 1.0 / (1.0 + lr * options.weight_decay);
    const S speed = lr * keep / (1.0 - pow(betas[0], count));
    const S speed_of_change =
        lr * keep * betas[1] / (1.0 - pow(betas[1], count));
    return Kernel{
        T(keep),
        [rate = T(speed),
         rate_of_change = T(speed_of_change),
         root = T(1.0 / sqrt(1.0 - pow(betas[2], count))),
         // 0 in the first step: there is no previous gradient to compare with.
         changes = T(not_first(count)),
         small = T(eps),
         fresh1 = T(1.0 - betas[0]),
         keep2 = T(betas[1]),
         fresh2 = T(1.0 - betas[1]),
         keep3 = T(betas[2]),
         fresh3 = T(1.0 - betas[2])](
            const T&, const T& g, std::array<T, 4>& state) {
          auto& [mean, mean_change, square, previous] = state;
          const T change = (g - previous) * changes;
          mean = mixed(mean, g, fresh1);
          mean_change = mean_change * keep2 + change * fresh2;
          const T ahead = change * keep2 + g;
          square = square * keep3 + ahead * ahead * fresh3;
          previous = g;
          return (mean * rate + mean_change * rate_of_change) /
              (sqrt(square) * root + small);
        }};
  }

  // Returns 0 in the first step, 1 later.
  static double not_first(double count) { return count > 1.0 ? 1.0 : 0.0; }
  static Value not_first(const Value& count) {
    return count.t.gt(1.0).to(at::kDouble);
  }
};

} // namespace

const MakeOptimizer make_adan = construct<ElementOptimizer<AdanRule>>;

} // namespace vitrain::optim
