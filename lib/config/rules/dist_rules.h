#pragma once

#include <cstdint>
#include <vector>

#include "config/rules/checker.h"
#include "config/rules/validate.h"

namespace vitrain::config {

// What is wrong with the keys of the exchange between workers (section dist).
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

// The levels of so many workers, of keys that check_dist() accepts. Of those
// that dist.sync.group_sizes has by default the ones that do not divide the
// workers are left out, and all end with the first that has all workers.
std::vector<SyncLevel> sync_levels(
    const SyncConfig& sync,
    std::int64_t workers);

} // namespace vitrain::config
