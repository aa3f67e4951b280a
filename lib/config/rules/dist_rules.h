#pragma once

#include <cstdint>
#include <vector>

#include "config/rules/checker.h"
#include "config/rules/validate.h"

namespace vitrain::config {

// Checks the keys of the section dist.
std::vector<Finding> check_dist(
    const Recipe& recipe,
    const CheckContext& context);

// Returns true if data.batch_size need not be a multiple of the number of
// replicas: with one process and one micro-batch per step, a sample's position
// in the batch does not depend on the replicas' shares.
bool shares_may_differ(const Recipe& recipe);

// One level of hierarchical_sgd: groups of `size` consecutive ranks that
// average every `period` steps.
struct SyncLevel {
  std::int64_t period = 1;
  std::int64_t size = 1;

  bool operator==(const SyncLevel&) const = default;
};

// Returns the levels for this number of workers, for keys that check_dist()
// accepts. With the default dist.sync.group_sizes, leaves out levels whose size
// does not divide the number of workers, and ends with the first level that
// contains all workers.
std::vector<SyncLevel> sync_levels(
    const SyncConfig& sync,
    std::int64_t workers);

} // namespace vitrain::config
