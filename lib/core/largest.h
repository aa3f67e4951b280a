#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vitrain {

// Returns the indices of the `count` values with the largest magnitudes, in
// unspecified order; all indices if there are fewer values. Of equal
// magnitudes, those with the lowest indices are chosen. NaN is larger than
// every number. Requires at most 2^31 - 1 values. Works in two passes: a
// histogram of exponents and leading bits (a radix sort's first digit), then
// comparisons only among values in the last selected bin.
std::vector<std::int32_t> largest_magnitudes(
    std::span<const float> values,
    std::size_t count);

} // namespace vitrain
