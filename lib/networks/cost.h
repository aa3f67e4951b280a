#pragma once

#include <cstdint>

#include "models/families/family.h"
#include "models/spec.h"

namespace vitrain::networks {

// What one image, or vector, costs in a forward pass.
struct Cost {
  // Multiplications with their additions, of matrix products, attention and
  // convolutions: as published tables count them.
  std::int64_t macs = 0;
  // Numbers that convolutions give, as "activations" are counted by Dollar et
  // al., "Fast and accurate model scaling", CVPR 2021; for all layers above.
  std::int64_t outputs = 0;
  // All results of operators together, and three times the largest.
  models::ActivationBytes bytes;
};

// Runs the network of `spec` without memory, on the meta device, and counts.
Cost cost_of(const models::ModelSpec& spec);

} // namespace vitrain::networks
