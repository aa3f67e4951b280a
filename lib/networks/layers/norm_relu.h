#pragma once

#include <ATen/core/Tensor.h>

#include "networks/layers/layers.h"

namespace vitrain::networks {

// An activation that goes two ways: the same values in the same memory, as two
// tensors. Backward of what made them adds the gradients of both ways itself.
struct Fork {
  at::Tensor trunk;
  at::Tensor branch;
};

// relu(norm(x) + residual), or without residual where it is undefined. On CPUs,
// for fp32 and bf16 in channels_last, forward and backward take two passes over
// memory each, and their results do not depend on the number of threads;
// elsewhere, where `norm` has a training form and where torch's tracer records
// them, they are torch's operators.
Fork norm_relu(
    BatchNorm2d& norm,
    const at::Tensor& x,
    const at::Tensor& residual = {});

// norm(x), likewise.
at::Tensor norm_only(BatchNorm2d& norm, const at::Tensor& x);

} // namespace vitrain::networks
