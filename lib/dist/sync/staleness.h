#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "options/compression.h"

namespace vitrain::dist {

// Decides who may read a server's weights and whose gradient is applied, such
// that no gradient is applied more than `limit` updates after its worker read
// the weights. Between two reads a worker updates or withdraws.
//
// kDrop: everyone may do everything at once, and a gradient that arrives too
// late is left out. kWait: nothing is left out. A worker that has read holds a
// claim to one of the next updates, at the latest the one of its version +
// limit; others wait as long as their read or update would leave some claim
// without a place. The holder of the oldest claim never waits, so somebody can
// always go on.
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
