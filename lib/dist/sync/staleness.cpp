#include "dist/sync/staleness.h"

#include <algorithm>
#include <cassert>

namespace vitrain::dist {

StalenessBound::StalenessBound(
    int workers,
    std::int64_t limit,
    OnStale on_stale)
    : limit_(limit),
      on_stale_(on_stale),
      claims_(static_cast<std::size_t>(workers)) {}

bool StalenessBound::may_read() const {
  return on_stale_ == OnStale::kDrop ||
      feasible(version_, /*without=*/-1, version_);
}

void StalenessBound::read(int worker) {
  claims_[static_cast<std::size_t>(worker)] = version_;
}

bool StalenessBound::may_update(int worker) const {
  return on_stale_ == OnStale::kDrop ||
      feasible(version_ + 1, worker, std::nullopt);
}

std::optional<std::int64_t> StalenessBound::update(int worker) {
  auto& claim = claims_[static_cast<std::size_t>(worker)];
  assert(claim.has_value());
  const std::int64_t staleness = version_ - *claim;
  claim.reset();
  if (staleness > limit_) {
    return std::nullopt;
  }
  ++version_;
  return staleness;
}

void StalenessBound::withdraw(int worker) {
  claims_[static_cast<std::size_t>(worker)].reset();
}

bool StalenessBound::feasible(
    std::int64_t version,
    int without,
    std::optional<std::int64_t> extra) const {
  std::vector<std::int64_t> read;
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    if (claims_[i] && static_cast<int>(i) != without) {
      read.push_back(*claims_[i]);
    }
  }
  if (extra) {
    read.push_back(*extra);
  }
  // In order of age, the k-th claim is fulfilled at version + k.
  std::ranges::sort(read);
  for (std::size_t k = 0; k < read.size(); ++k) {
    if (version + static_cast<std::int64_t>(k) > read[k] + limit_) {
      return false;
    }
  }
  return true;
}

} // namespace vitrain::dist
