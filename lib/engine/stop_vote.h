#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>

#include "dist/group.h"

namespace vitrain::engine {

// How ranks agree on stopping: the largest flag wins. The exchange runs while
// the step computes, so asking every step costs nothing. Collective.
class StopVote {
 public:
  StopVote(dist::Group& control, bool requested)
      : flag_(at::full({1}, requested ? 1 : 0, at::kInt)),
        pending_(control.all_reduce_max_async(flag_)) {}

  // Whether any rank asked for a stop when the vote began.
  bool agreed() {
    pending_.wait();
    return flag_.item<int>() != 0;
  }

 private:
  at::Tensor flag_;
  dist::Pending pending_;
};

} // namespace vitrain::engine
