#pragma once

#include <ATen/core/Tensor.h>

#include "dist/group.h"

namespace vitrain::dist {

// One piece of memory for all ranks, which must be processes or threads of one
// machine: rank 0's `tensor` (contiguous, on the CPU; equal shape and dtype on
// every rank), copied into it. What one rank writes the others read; nothing
// orders that but the ranks themselves. It lives as long as a tensor over it.
// Throws Error(kInternal) where the system refuses. Collective.
at::Tensor share_memory(Group& control, const at::Tensor& tensor);

} // namespace vitrain::dist
