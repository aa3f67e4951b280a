#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "options/compression.h"

namespace vitrain::dist {

// Bounded staleness: decides which worker may read a server's weights and whose
// gradient is applied, so that no gradient is applied more than `limit` updates
// after its worker read the weights. Between two reads a worker updates or
// withdraws.
//
// kDrop: no worker waits, and a gradient that arrives too late is dropped.
// kWait: no gradient is dropped. A worker that has read holds a claim to one of
// the next updates, at the latest update version + limit; other workers wait
// while their read or update would make a claim impossible to fulfil. The
// holder of the oldest claim never waits, so there is no deadlock.
class StalenessBound {
 public:
  StalenessBound(int workers, std::int64_t limit, OnStale on_stale);

  // Updates that have been applied.
  std::int64_t version() const { return version_; }

  bool may_read() const;
  void read(int worker);
  bool may_update(int worker) const;
  // Decides about the gradient of `worker`, which has read and may update. Its
  // staleness when it is to be applied, which makes a new version; none when it
  // is dropped.
  std::optional<std::int64_t> update(int worker);
  // `worker` has read and will not update.
  void withdraw(int worker);

 private:
  // Whether each claim, when one of `extra` is added and `without` is left out,
  // finds a place if the next version is `version`.
  bool feasible(
      std::int64_t version,
      int without,
      std::optional<std::int64_t> extra) const;

  std::int64_t limit_;
  OnStale on_stale_;
  std::int64_t version_ = 0;
  std::vector<std::optional<std::int64_t>> claims_; // version read, by worker
};

} // namespace vitrain::dist
