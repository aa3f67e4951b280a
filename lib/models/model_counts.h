#pragma once

#include <cstdint>

namespace vitrain::models {

// Parameters and cost of a network with 1000 classes, as printed by `vitrain
// models`. Computed by networks::counts_of().
struct ModelCounts {
  std::int64_t parameters = 0;
  std::int64_t macs = 0; // per image or vector; see networks::Cost
  std::int64_t outputs = 0;
};

} // namespace vitrain::models
