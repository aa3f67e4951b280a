#pragma once

#include <cstdint>

namespace vitrain::models {

// What a network of 1000 classes has and costs, as `vitrain models` says it:
// what is known once it has been made (networks::counts_of).
struct ModelCounts {
  std::int64_t parameters = 0;
  std::int64_t macs = 0; // of one image or vector, as networks::Cost
  std::int64_t outputs = 0;
};

} // namespace vitrain::models
