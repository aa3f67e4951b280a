#pragma once

#include <cstdint>
#include <deque>

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>

#include "dist/group.h"

namespace vitrain::engine {

// How ranks agree on stopping: in each step the largest flag wins. The exchange
// runs while the step computes, so asking every step costs nothing; with `lead`
// a vote has that many more steps to arrive, so that a rank may be that far
// ahead of the others before it waits for them. Collective.
class StopVotes {
 public:
  StopVotes(dist::Group& control, std::int64_t lead)
      : control_(control), lead_(lead) {}

  // Begins the vote of a step.
  void begin(bool requested) {
    Vote& vote = votes_.emplace_back();
    vote.flag = at::full({1}, requested ? 1 : 0, at::kInt);
    vote.pending = control_.all_reduce_max_async(vote.flag);
  }

  // Whether any rank had asked for a stop when the vote of `lead` steps before
  // began. Once per step.
  bool agreed() {
    if (static_cast<std::int64_t>(votes_.size()) <= lead_) {
      return false;
    }
    Vote vote = std::move(votes_.front());
    votes_.pop_front();
    vote.pending.wait();
    return vote.flag.item<int>() != 0;
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
