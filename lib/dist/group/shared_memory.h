#pragma once

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"

namespace vitrain::dist {

// One piece of memory for all ranks, which must be processes or threads of one
// machine: rank 0's `tensor` (contiguous, on the CPU; equal shape and dtype on
// every rank), copied into it. What one rank writes the others read; nothing
// orders that but the ranks themselves. It lives as long as a tensor over it.
// Throws Error(kUsage) where the ranks do not share a machine, Error(kInternal)
// where the system gives no memory. Collective.
at::Tensor share_memory(Group& control, const at::Tensor& tensor);

} // namespace vitrain::dist
