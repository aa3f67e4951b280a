#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace vitrain::optim {

// Euclidean norm of a contiguous fp32 tensor, a scalar on its device; nothing
// waits for the device. Not finite where the sum of the squares in fp32 is not.
//
// On CPUs in blocks whose sums are added in fp64, so that it is right to 1e-6
// at any size and the same with any number of threads. at::linalg_vector_norm
// adds all squares in a few fp32 sums there: 1.5 % short over the 93 million
// gradients of a ViT-B.
at::Tensor euclidean_norm(const at::Tensor& values);

// Returns the norm of each part: [parts]. Requires at least one part, all on
// one device.
at::Tensor euclidean_norms(const std::vector<at::Tensor>& parts);

} // namespace vitrain::optim
