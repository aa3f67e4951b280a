#pragma once

#include <array>
#include <cmath>

#include "optim/element_optimizer.h"

namespace vitrain::optim {

// AdamW (Loshchilov, Hutter, "Decoupled weight decay regularization", ICLR
// 2019) and, with Nesterov's momentum, NAdamW as timm computes it, after
// Dozat, 2016.
template <bool kNesterov>
struct AdamWRule : ElementRule {
  static constexpr std::array kStates{"exp_avg", "exp_avg_sq"};

  template <typename T, typename S>
  static auto kernel(const RuleOptions& options, const S& lr, const S& count) {
    using std::pow;
    using std::sqrt;
    const auto& [betas, eps, momentum, alpha] = options.numbers;
    const S first = 1.0 - pow(betas[0], count);
    const S second = 1.0 - pow(betas[1], count);
    return Kernel{
        T(1.0 - lr * options.weight_decay),
        [rate = T(lr / first),
         root = T(1.0 / sqrt(second)),
         small = T(eps),
         fresh1 = T(1.0 - betas[0]),
         keep2 = T(betas[1]),
         fresh2 = T(1.0 - betas[1])](
            const T&, const T& g, std::array<T, 2>& state) {
          auto& [mean, square] = state;
          mean = mixed(mean, g, fresh1);
          square = square * keep2 + g * g * fresh2;
          const T ahead = kNesterov ? mixed(mean, g, fresh1) : mean;
          return ahead * rate / (sqrt(square) * root + small);
        }};
  }
};

} // namespace vitrain::optim
