#pragma once

#include <ATen/core/Tensor.h>

namespace vitrain::engine {

// A small tensor of the host's on `device`. On a GPU it goes through pinned
// memory and nobody waits: torch keeps that memory until the copy has ended. A
// tensor that is there already, as on CPUs, is returned as it is.
at::Tensor upload(const at::Tensor& tensor, const c10::Device& device);

} // namespace vitrain::engine
