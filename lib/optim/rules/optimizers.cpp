#include "optim/rules/optimizers.h"

#include <algorithm>
#include <array>

#include "core/enum_names.h"
#include "optim/rules/update_rules.h"

namespace vitrain::optim {
namespace {

using config::OptimConfig;
using config::OptimKind;

template <int kValues>
int values(const OptimConfig& /*options*/) {
  return kValues;
}

// Returns the state values of rules with an optional momentum buffer and
// kOthers other buffers.
template <int kOthers>
int values_and_momentum(const OptimConfig& options) {
  return kOthers + (options.numbers().momentum > 0.0 ? 1 : 0);
}

constexpr auto kOptimizers = std::to_array<OptimizerInfo>({
    {OptimKind::kAdamW, values<2>, make_adamw},
    {OptimKind::kAdam, values<2>, make_adam},
    {OptimKind::kNAdamW, values<2>, make_nadamw},
    {OptimKind::kSgd, values_and_momentum<0>, make_sgd},
    {OptimKind::kLamb, values<2>, make_lamb},
    {OptimKind::kLars, values_and_momentum<0>, make_lars},
    {OptimKind::kLion, values<1>, make_lion},
    {OptimKind::kRmsProp, values_and_momentum<1>, make_rmsprop},
    {OptimKind::kRmsPropTf, values_and_momentum<1>, make_rmsprop_tf},
    {OptimKind::kAdagrad, values<1>, make_adagrad},
    {OptimKind::kAdan, values<4>, make_adan},
    {OptimKind::kAdafactor, values_and_momentum<0>, make_adafactor},
    {OptimKind::kMuon, values<1>, make_muon},
});

constexpr auto row_of_kind(OptimKind kind) {
  return std::ranges::find(kOptimizers, kind, &OptimizerInfo::kind);
}

static_assert(
    std::ranges::none_of(
        names_of(OptimKind{}),
        [](const auto& one) {
          return row_of_kind(one.value) == kOptimizers.end();
        }),
    "each optim.name has its row");

} // namespace

const OptimizerInfo& optimizer_info(OptimKind kind) {
  return *row_of_kind(kind);
}

int state_values(const OptimConfig& options) {
  return optimizer_info(options.name).state_values(options) +
      (options.lookahead.every ? 1 : 0);
}

std::unique_ptr<Optimizer> make_optimizer(
    FlatState& parameters,
    const OptimConfig& options) {
  auto optimizer = optimizer_info(options.name).make(parameters, options);
  if (options.lookahead.every) {
    optimizer->look_ahead(options.lookahead);
  }
  return optimizer;
}

} // namespace vitrain::optim
