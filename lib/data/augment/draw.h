#pragma once

#include <cstdint>

#include "core/random.h"

namespace vitrain::data {

// One use of a sample in training. Random changes of the sample are keyed by
// it.
struct Draw {
  std::int64_t epoch = 0;
  std::int64_t sample = 0;
  // Distinguishes the uses of a sample in one epoch, so that each gets its own
  // random changes. Below 2^32; 0 if the order of an epoch is a permutation,
  // except for samples that fill up the last batch (LastBatch::kPad).
  std::int64_t copy = 0;

  friend bool operator==(const Draw&, const Draw&) = default;
};

// Returns the random stream of a draw for one purpose.
inline Random stream(std::uint64_t seed, Purpose purpose, const Draw& draw) {
  const auto epoch = static_cast<std::uint64_t>(draw.epoch);
  const auto copy = static_cast<std::uint64_t>(draw.copy);
  return {
      seed,
      purpose,
      epoch | copy << 32,
      static_cast<std::uint64_t>(draw.sample)};
}

} // namespace vitrain::data
