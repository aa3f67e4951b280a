#pragma once

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"

namespace vitrain::dist {

// Returns a tensor in memory shared by all ranks, which must be processes or
// threads of one machine, initialised with rank 0's `tensor` (contiguous, on
// the CPU; equal shape and dtype on every rank). The ranks synchronise their
// accesses themselves. The memory lives as long as a tensor refers to it.
// Throws Error(kUsage) if a rank cannot open rank 0's memory, for example from
// another machine, container or user, Error(kInternal) if the memory cannot be
// allocated. Collective.
at::Tensor share_memory(Group& control, const at::Tensor& tensor);

} // namespace vitrain::dist
