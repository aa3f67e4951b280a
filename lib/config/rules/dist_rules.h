#pragma once

#include <cstdint>
#include <vector>

#include "config/rules/checker.h"
#include "config/rules/validate.h"

namespace vitrain::config {

// Checks the keys of the section dist.
std::vector<Finding> check_dist(
    const Recipe& recipe,
    const Circumstances& circumstances);

// Whether replicas of one process may share data.batch_size unequally: each
// step has one batch, so that the places of its samples do not depend on that.
bool shares_may_differ(const Recipe& recipe);

// One level of hierarchical_sgd: groups of `size` consecutive ranks.
struct SyncLevel {
  std::int64_t period = 1;
  std::int64_t size = 1;

  bool operator==(const SyncLevel&) const = default;
};

// Returns the levels for this number of workers, of keys that check_dist()
// accepts. With the default dist.sync.group_sizes, levels that do not divide
// the workers are left out, and the levels end with the first that contains all
// workers.
std::vector<SyncLevel> sync_levels(
    const SyncConfig& sync,
    std::int64_t workers);

} // namespace vitrain::config
