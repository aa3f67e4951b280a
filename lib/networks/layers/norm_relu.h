#pragma once

#include <ATen/core/Tensor.h>

#include "networks/layers/layers.h"
#include "networks/layers/norm_kernels.h"

namespace vitrain::networks {

// An activation with two consumers: two tensors that share memory. The backward
// function of their producer adds both gradients itself. Where norm_act() uses
// torch's operators, both are one tensor.
struct Fork {
  at::Tensor trunk;
  at::Tensor branch;
};

using norm_kernels::Nonlinearity;

// Returns nonlinearity(norm(x) + residual); an undefined residual is left out.
// On CPUs, for fp32 and bf16 in channels_last, forward and backward take two
// passes over memory each, and results do not depend on the number of threads.
// Torch's operators are used on other devices, dtypes and layouts, in training
// mode if `norm` has a training form, under torch's tracer, for GELU, and for a
// residual with another nonlinearity than ReLU.
Fork norm_act(
    BatchNorm2d& norm,
    const at::Tensor& x,
    Nonlinearity nonlinearity,
    const at::Tensor& residual = {});

at::Tensor apply_in_place(at::Tensor y, Nonlinearity nonlinearity);

// norm_relu(): norm_act() with a ReLU. norm_only(): without nonlinearity.
Fork norm_relu(
    BatchNorm2d& norm,
    const at::Tensor& x,
    const at::Tensor& residual = {});
at::Tensor norm_only(BatchNorm2d& norm, const at::Tensor& x);

} // namespace vitrain::networks
