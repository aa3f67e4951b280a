#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.h"

namespace vitrain::config {

enum class ScaleRule { kNone, kLinear, kSqrt };
constexpr auto names_of(ScaleRule) {
  using enum ScaleRule;
  return enum_names<ScaleRule>(
      {{kNone, "none"}, {kLinear, "linear"}, {kSqrt, "sqrt"}});
}
// Scaling of learning rates (apply_to) by the global batch.
struct ScaleConfig {
  ScaleRule rule = ScaleRule::kNone;
  // Samples; nullopt (per_device): one device's share of the batch, or with
  // batch_mode: global no scaling.
  std::optional<std::int64_t> base_batch = 256;
  std::vector<std::string> apply_to{"lr"};

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "rule",
        rule,
        "`linear`: x G / base_batch, `sqrt`: x sqrt(G / base_batch), with G "
        "the global batch; `none`: x 1.");
    v.field(
         "base_batch",
         base_batch,
         "Global batch that `lr` was chosen for. `per_device`: one device's "
         "share, so that `linear` is times the number of devices, as in "
         "Horovod's and Paddle's guides; with batch_mode: global, whose batch "
         "does not grow with the devices, lr then stays as it is.")
        .none_word("per_device")
        .in_range(1, std::int64_t{1} << 40)
        .needs(
            "schedule.scale.rule", rule, ScaleRule::kLinear, ScaleRule::kSqrt);
    v.field(
         "apply_to",
         apply_to,
         "What is scaled: any of `lr`, `warmup_lr`, `min_lr`.")
        .each_of({"lr", "warmup_lr", "min_lr"})
        .needs(
            "schedule.scale.rule", rule, ScaleRule::kLinear, ScaleRule::kSqrt);
  }
};

} // namespace vitrain::config
