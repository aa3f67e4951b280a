#include "core/largest.h"

#include <algorithm>
#include <array>
#include <bit>

namespace vitrain {
namespace {

// Returns bits that order values by magnitude, with NaN above infinity.
std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value) & 0x7fffffffU;
}

// Number of values of digit_of(): the exponent and three bits of the fraction.
constexpr std::size_t kDigits = 2048;
std::size_t digit_of(float value) {
  return bits_of(value) >> 20;
}

// Counts how often each digit occurs.
std::array<std::size_t, kDigits> count_digits(std::span<const float> values) {
  // Neighbouring values often have equal digits. With a table for each of four
  // values, an increment need not wait for the one before.
  std::array<std::array<std::uint32_t, kDigits>, 4> tables{};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      ++tables[k][digit_of(values[i + k])];
    }
  }
  for (; i < values.size(); ++i) {
    ++tables[0][digit_of(values[i])];
  }
  std::array<std::size_t, kDigits> counts{};
  for (const auto& table : tables) {
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      counts[digit] += table[digit];
    }
  }
  return counts;
}

struct Candidate {
  std::uint32_t bits;
  std::int32_t index;

  bool operator<(const Candidate& other) const { // true: selected first
    return bits != other.bits ? bits > other.bits : index < other.index;
  }
};

} // namespace

std::vector<std::int32_t> largest_magnitudes(
    std::span<const float> values,
    std::size_t count) {
  count = std::min(count, values.size());
  if (count == 0) {
    return {};
  }
  const std::array<std::size_t, kDigits> counts = count_digits(values);
  std::size_t last = kDigits; // digit of the smallest selected value
  std::size_t with_it = 0;
  while (with_it < count) {
    with_it += counts[--last];
  }
  std::vector<std::int32_t> largest;
  largest.reserve(count);
  std::vector<Candidate> candidates;
  candidates.reserve(counts[last]);
  const std::uint32_t least = static_cast<std::uint32_t>(last) << 20;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t bits = bits_of(values[i]);
    if (bits < least) {
      continue;
    }
    const auto index = static_cast<std::int32_t>(i);
    if (digit_of(values[i]) == last) {
      candidates.push_back({bits, index});
    } else {
      largest.push_back(index);
    }
  }
  const auto end =
      candidates.begin() + static_cast<std::ptrdiff_t>(count - largest.size());
  std::nth_element(candidates.begin(), end, candidates.end());
  std::transform(
      candidates.begin(),
      end,
      std::back_inserter(largest),
      [](const Candidate& candidate) { return candidate.index; });
  return largest;
}

} // namespace vitrain
