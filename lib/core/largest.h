#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vitrain {

// Where the `count` values of the largest magnitude are, in no order that means
// anything; of equal ones the first. NaNs are larger than all others. At most
// as many as there are values, of which there can be 2^31 - 1. Two passes over
// the values: a histogram of exponents and leading bits, and then only what has
// the bits of the last one to be taken is compared (a radix sort's first
// digit).
std::vector<std::int32_t> largest_magnitudes(
    std::span<const float> values,
    std::size_t count);

} // namespace vitrain
