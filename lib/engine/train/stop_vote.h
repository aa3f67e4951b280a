#pragma once

#include <cstdint>
#include <deque>

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>

#include "dist/group/group.h"

namespace vitrain::engine {

// What a worker knows of an early end, the weightier last.
enum class EarlyEnd : int { kNone, kRequested, kFailed };

// How ranks agree on stopping: in each step the weightiest wins. The exchange
// runs while the step computes, so asking every step costs nothing; with `lead`
// a vote has that many more steps to arrive, so that a rank may be that far
// ahead of the others before it waits for them. Collective.
class StopVotes {
 public:
  StopVotes(dist::Group& control, std::int64_t lead)
      : control_(control), lead_(lead) {}

  // Begins the vote of a step.
  void begin(EarlyEnd own) {
    Vote& vote = votes_.emplace_back();
    vote.flag = at::full({1}, static_cast<int>(own), at::kInt);
    vote.pending = control_.all_reduce_max_async(vote.flag);
  }

  // What any rank knew when the vote of `lead` steps before began. Once per
  // step.
  EarlyEnd agreed() {
    if (static_cast<std::int64_t>(votes_.size()) <= lead_) {
      return EarlyEnd::kNone;
    }
    Vote vote = std::move(votes_.front());
    votes_.pop_front();
    vote.pending.wait();
    return static_cast<EarlyEnd>(vote.flag.item<int>());
  }

  // Waits for the votes that are under way: before the ranks part.
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
