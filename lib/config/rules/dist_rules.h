#pragma once

#include <cstdint>
#include <vector>

#include "config/rules/checker.h"
#include "config/rules/validate.h"

namespace vitrain::config {

// Checks the section dist, and against it run.determinism: elastic and of
// `train` precision, on_non_finite, on_spike, recompute and prune.amount.
std::vector<Finding> check_dist(
    const Recipe& recipe,
    const CheckContext& context);

// Returns the findings of run.determinism: elastic, whose steps must not depend
// on the number of workers. Call it only for that value.
std::vector<Finding> check_elastic(
    const Recipe& recipe,
    const CheckContext& context);

// Returns the findings about train.on_non_finite and train.on_spike with
// train.precision: fp16, in which steps that overflow are normal.
std::vector<Finding> check_fp16_steps(const Recipe& recipe);

// Returns the findings about keys for which all workers must be able to skip a
// step without side effects: train.on_non_finite, train.on_spike, and fp16,
// whose gradients may overflow.
std::vector<Finding> check_skipped_steps(const Recipe& recipe);

// Returns true if data.batch_size with batch_mode global need not be a multiple
// of the number of replicas: with dist.mode single_process and one micro-batch
// per step, a sample's position in the batch does not depend on the replicas'
// shares.
bool shares_may_differ(const Recipe& recipe);

// One level of hierarchical_sgd: groups of `size` consecutive ranks average
// their weights every `period` steps.
struct SyncLevel {
  std::int64_t period = 1;
  std::int64_t size = 1;

  bool operator==(const SyncLevel&) const = default;
};

// Returns the levels for this number of workers, for keys that check_dist()
// accepts. Sizes of -1 or above the number of workers become that number. With
// the default dist.sync.group_sizes, leaves out levels whose size does not
// divide the number of workers, and ends with the first level that contains all
// workers.
std::vector<SyncLevel> sync_levels(
    const SyncConfig& sync,
    std::int64_t workers);

} // namespace vitrain::config
