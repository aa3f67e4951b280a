// Implements check_elastic() of dist_rules.h.

#include "config/rules/dist_rules.h"

#include <fmt/format.h>

namespace vitrain::config {

std::vector<Finding> check_elastic(
    const Recipe& recipe,
    const CheckContext& context) {
  Checker checker;
  const std::int64_t shards = recipe.run.shards;
  const std::int64_t workers = context.workers;
  const auto needs =
      [&](bool good, const std::string& key, const std::string& text) {
        checker.require(
            good,
            key,
            "run.determinism: elastic " + text,
            {"run.determinism", "run.shards", "dist.mode", "dist.sync.mode"});
      };
  needs(
      (shards & (shards - 1)) == 0,
      "run.shards",
      fmt::format("needs a power of 2, got {}", shards));
  needs(
      workers == kWorkersUnknown || shards % workers == 0,
      "run.shards",
      fmt::format(
          "divides {} shards equally among the workers, and there are {}: use "
          "1, 2, 4, ... up to {}",
          shards,
          workers,
          shards));
  needs(
      recipe.dist.mode == DistMode::kProcesses,
      "dist.mode",
      "computes shards in processes: use processes");
  needs(
      recipe.dist.sync.mode == SyncMode::kAllreduce,
      "dist.sync.mode",
      "needs the gradients of all workers in every step: use allreduce");
  needs(
      recipe.dist.compress == Compress::kNone,
      "dist.compress",
      "adds gradients that are not rounded: use none");
  needs(
      recipe.dist.batchnorm == BatchNormStatistics::kLocal,
      "dist.batchnorm",
      "normalises by the statistics of each shard, and averages the running "
      "ones over all shards in every step: use local");
  return checker.take();
}

} // namespace vitrain::config
