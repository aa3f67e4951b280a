#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "options/compression.h"

namespace vitrain::dist {

// Bounded staleness: decides which worker may read a server's weights and whose
// gradient is applied, so that no gradient is applied more than `limit` updates
// after its worker read the weights. Between two reads a worker must call
// update() or withdraw().
//
// kDrop: no worker waits, and a gradient that arrives too late is dropped.
// kWait: no gradient is dropped. A worker that has read version v holds a claim
// to one of the next updates, at the latest the one applied at version v +
// limit; other workers wait while their read or update would make a claim
// impossible to fulfil. The holder of the oldest claim never waits, so there is
// no deadlock.
class StalenessBound {
 public:
  StalenessBound(int workers, std::int64_t limit, OnStale on_stale);

  // Number of updates applied so far.
  std::int64_t version() const { return version_; }

  // Returns true if a worker may read the weights now.
  bool may_read() const;
  // Records that `worker` has read the current version.
  void read(int worker);
  // Returns true if update(worker) may be called now.
  bool may_update(int worker) const;
  // Decides about the gradient of `worker`, which has read and may update.
  // Returns its staleness if it is to be applied, and increments version();
  // nullopt if it is to be dropped.
  std::optional<std::int64_t> update(int worker);
  // Releases the claim of `worker`, which has read and will not update.
  void withdraw(int worker);

 private:
  // Returns true if all claims can be fulfilled when the current version is
  // `version`; `extra` adds a claim (a version read), `without` leaves out that
  // worker's claim (-1: none).
  bool feasible(
      std::int64_t version,
      int without,
      std::optional<std::int64_t> extra) const;

  std::int64_t limit_;
  OnStale on_stale_;
  std::int64_t version_ = 0;
  // Version that each worker has read; nullopt: no claim.
  std::vector<std::optional<std::int64_t>> claims_;
};

} // namespace vitrain::dist
