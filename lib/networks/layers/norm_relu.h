#pragma once

#include <ATen/core/Tensor.h>

#include "networks/layers/layers.h"
#include "networks/layers/norm_kernels.h"

namespace vitrain::networks {

// An activation that goes two ways: the same values in the same memory, as two
// tensors. Backward of what made them adds the gradients of both ways itself.
struct Fork {
  at::Tensor trunk;
  at::Tensor branch;
};

using norm_kernels::Nonlinearity;

// nonlinearity(norm(x) + residual), or without residual where it is undefined.
// On CPUs, for fp32 and bf16 in channels_last, forward and backward take two
// passes over memory each, and their results do not depend on the number of
// threads; elsewhere, where `norm` has a training form, where torch's tracer
// records them, and with a residual under another nonlinearity than a ReLU,
// they are torch's operators.
Fork norm_act(
    BatchNorm2d& norm,
    const at::Tensor& x,
    Nonlinearity nonlinearity,
    const at::Tensor& residual = {});

at::Tensor apply_in_place(at::Tensor y, Nonlinearity nonlinearity);

// With a ReLU, and with nothing.
Fork norm_relu(
    BatchNorm2d& norm,
    const at::Tensor& x,
    const at::Tensor& residual = {});
at::Tensor norm_only(BatchNorm2d& norm, const at::Tensor& x);

} // namespace vitrain::networks
