#include "optim/rules/adamw_rule.h"
#include "optim/rules/rules.h"

namespace vitrain::optim {

std::unique_ptr<Optimizer> make_nadamw(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return std::make_unique<ElementOptimizer<AdamWRule</*kNesterov=*/true>>>(
      parameters, options);
}

} // namespace vitrain::optim
