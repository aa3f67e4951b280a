#pragma once

#include <cstdint>
#include <vector>

namespace vitrain::data {

// The shuffles of torch and NumPy, number for number. Both use MT19937
// (Matsumoto, Nishimura, 1998), which is std::mt19937, but derive indices from
// its words in different ways.

// Returns torch.randperm(n, generator=torch.Generator().manual_seed(seed)) of
// the CPU; only the seed's low 32 bits count. A Fisher-Yates shuffle from the
// front with z = word % (n - i); words have 64 bits if n >= floor((2^32 - 1) /
// 20), else 32 (torch 2.11, aten/src/ATen/native/TensorFactories.cpp,
// randperm_cpu).
std::vector<std::int64_t> torch_randperm(std::int64_t n, std::uint64_t seed);

// Shuffles in place like numpy.random.RandomState(seed).shuffle(list): a
// Fisher-Yates shuffle from the back. Words are masked to the bits of the
// largest index and rejected if they exceed it (numpy, legacy-distributions.c,
// random_interval). `values` has at most 2^32 elements.
void numpy_shuffle(std::vector<std::int64_t>& values, std::uint32_t seed);

} // namespace vitrain::data
