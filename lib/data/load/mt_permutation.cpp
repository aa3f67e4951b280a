#include "data/load/mt_permutation.h"

#include <bit>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace vitrain::data {
namespace {

// From this size on, torch combines two words to 64 bits, the first one in the
// upper half.
constexpr std::int64_t kWideFrom =
    std::numeric_limits<std::uint32_t>::max() / 20;

} // namespace

std::vector<std::int64_t> torch_randperm(std::int64_t n, std::uint64_t seed) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  // torch's generator uses the low 32 bits of a seed.
  std::mt19937 generator(static_cast<std::uint32_t>(seed));
  const bool wide = n >= kWideFrom;
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    std::uint64_t word = generator();
    if (wide) {
      word = word << 32 | generator();
    }
    const std::uint64_t z = word % static_cast<std::uint64_t>(n - i);
    std::swap(
        values[static_cast<std::size_t>(i)],
        values[static_cast<std::size_t>(i) + z]);
  }
  return values;
}

void numpy_shuffle(std::vector<std::int64_t>& values, std::uint32_t seed) {
  std::mt19937 generator(seed);
  for (std::size_t i = values.size(); i-- > 1;) {
    const auto mask = static_cast<std::uint32_t>(std::bit_ceil(i + 1) - 1);
    std::size_t j = generator() & mask;
    while (j > i) {
      j = generator() & mask;
    }
    std::swap(values[i], values[j]);
  }
}

} // namespace vitrain::data
