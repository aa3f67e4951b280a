#pragma once

#include <cstdint>
#include <deque>

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>

#include "dist/group/group.h"

namespace vitrain::engine {

// Vote of a worker, in ascending precedence: continue, report a written
// checkpoint, save one, stop on request, stop because another worker failed.
enum class EarlyEnd : int { kNone, kSaved, kSave, kRequested, kFailed };

// Agreement of the ranks on stopping: in each step the highest vote wins. The
// exchange overlaps with the step, so that voting every step costs nothing.
// With `lead` > 0, the result of a vote is read `lead` steps later, so a rank
// may be that many steps ahead before it waits. Collective.
class StopVotes {
 public:
  StopVotes(dist::Group& control, std::int64_t lead)
      : control_(control), lead_(lead) {}

  // Begins the vote of a step. `own`: this rank's vote.
  void begin(EarlyEnd own) {
    Vote& vote = votes_.emplace_back();
    vote.flag = at::full({1}, static_cast<int>(own), at::kInt);
    vote.pending = control_.all_reduce_max_async(vote.flag);
  }

  // Returns the result of the vote that began `lead` steps earlier; kNone if
  // there was none. Call once per step, after begin().
  EarlyEnd agreed() {
    if (static_cast<std::int64_t>(votes_.size()) <= lead_) {
      return EarlyEnd::kNone;
    }
    Vote vote = std::move(votes_.front());
    votes_.pop_front();
    vote.pending.wait();
    return static_cast<EarlyEnd>(vote.flag.item<int>());
  }

  // Waits for all pending votes. Call before the ranks take different paths.
  void finish() {
    for (Vote& vote : votes_) {
      vote.pending.wait();
    }
    votes_.clear();
  }

 private:
  struct Vote {
    at::Tensor flag{};
    dist::Pending pending{};
  };

  dist::Group& control_;
  std::int64_t lead_;
  std::deque<Vote> votes_;
};

} // namespace vitrain::engine
