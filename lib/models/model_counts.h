#pragma once

#include <cstdint>

namespace vitrain::models {

// Size and cost of a network, as printed by `vitrain models` (for 1000
// classes). Computed by networks::counts_of().
struct ModelCounts {
  std::int64_t parameters = 0; // number of values of all parameters
  // Multiply-accumulate operations of the matrix products, attention and
  // convolutions of a forward pass of one image or vector.
  std::int64_t macs = 0;
  std::int64_t outputs = 0; // output values of these layers in that pass
};

} // namespace vitrain::models
