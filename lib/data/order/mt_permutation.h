#pragma once

#include <cstdint>
#include <vector>

namespace vitrain::data {

// Permutations of [0, n) as other frameworks draw them, number for number. Both
// use MT19937 (Matsumoto, Nishimura, 1998), which std::mt19937 is; the way from
// its words to indices is each framework's own.

// torch.randperm(n, generator=torch.Generator().manual_seed(seed)) on the CPU:
// a Fisher-Yates shuffle from the front with z = word % (n - i), 64-bit words
// from n = floor((2^32 - 1) / 20) on (torch 2.11,
// aten/src/ATen/native/TensorFactories.cpp, randperm_cpu).
std::vector<std::int64_t> torch_randperm(std::int64_t n, std::uint64_t seed);

// numpy.random.RandomState(seed).shuffle(list), in place: a Fisher-Yates
// shuffle from the back, with words masked to the next power of two and
// rejected when they are too large (numpy, legacy-distributions.c,
// random_interval). `values` has at most 2^32 elements.
void numpy_shuffle(std::vector<std::int64_t>& values, std::uint32_t seed);

} // namespace vitrain::data
