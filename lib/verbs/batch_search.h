#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace vitrain::verbs {

// Limits of a search.
struct BatchLimits {
  std::int64_t largest = 0; // samples per device
  // Bytes that a worker may use. nullopt: no limit, because running out of
  // memory is harmless and is detected by trying, as on a GPU.
  std::optional<std::int64_t> memory;
  // No trial starts later than this after the start of the search.
  double seconds = 0.0;
};

struct BatchFound {
  std::int64_t fits = 0; // largest batch that was tried and fits; 0: none fits
  std::int64_t memory = 0; // peak bytes of a worker with the batch `fits`
  // Smallest batch that does not fit, as tried or as extrapolated from other
  // trials; 0: none.
  std::int64_t too_large = 0;
  std::int64_t trials = 0; // calls of TryBatch
  bool out_of_time = false; // BatchLimits::seconds had passed
  // Message of a trial that failed for a reason other than memory.
  std::string problem{};
};

// Tries a batch: returns the peak memory of a worker in bytes, or nullopt if it
// runs out of memory. search_largest_batch() passes on an Error with an exit
// code 128 + n (signal n); any other Error ends the search
// (BatchFound::problem).
using TryBatch = std::function<std::optional<std::int64_t>(std::int64_t batch)>;

// Searches the largest batch that fits, to within an eighth: doubles `start` as
// long as it fits, or halves it until it fits, then bisects. If memory is
// limited, a batch is not tried if it would need more by the line through the
// two largest batches tried before.
BatchFound search_largest_batch(
    std::int64_t start,
    const BatchLimits& limits,
    const TryBatch& try_batch);

} // namespace vitrain::verbs
