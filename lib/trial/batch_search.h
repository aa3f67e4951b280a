#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace vitrain::trial {

// Limits of a search.
struct BatchLimits {
  std::int64_t largest = 0; // samples for each device
  // Bytes that a worker may use; nullopt: out-of-memory is harmless and found
  // by trying, as on a GPU.
  std::optional<std::int64_t> memory;
  double seconds = 0.0; // no trial begins later than this after the start
};

struct BatchFound {
  std::int64_t fits = 0; // the largest that was tried and fits; 0: none does
  std::int64_t memory = 0; // bytes of a worker then
  // Smallest batch that does not fit, or would not according to other trials;
  // 0: none.
  std::int64_t too_large = 0;
  std::int64_t trials = 0;
  bool out_of_time = false;
  std::string problem{}; // failure of a trial for another reason than memory
};

// Returns the bytes of a worker with this batch; nullopt if it runs out of
// memory. Any Error except kStopped ends the search.
using TryBatch = std::function<std::optional<std::int64_t>(std::int64_t batch)>;

// The largest batch that fits, to an eighth of it: doubled from `start` as long
// as it fits, or halved until it does, then halfway between. Where memory is
// limited, nothing is tried of which the trials before say that it needs more:
// they are taken to lie on a line.
BatchFound search_largest_batch(
    std::int64_t start,
    const BatchLimits& limits,
    const TryBatch& try_batch);

} // namespace vitrain::trial
