#pragma once

#include <cstdint>
#include <vector>

#include "models/families/family.h"
#include "models/spec.h"

namespace vitrain::networks {

class Model;

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

  // Of what a block makes train.recompute keeps only what comes out of it.
  struct Block {
    std::int64_t results = 0; // bytes
    std::int64_t output = 0; // of them
  };
  std::vector<Block> blocks; // of train.recompute, in their order

  // The share of bytes.kept that is there at once, where each `every`-th block
  // is computed again (recompute.h).
  double kept_share(std::int64_t every) const;
};

// Runs the network of `spec` without memory, on the meta device, and counts.
// Throws Error(kInternal) for a network that has an operator which torch cannot
// do there.
Cost cost_of(const models::ModelSpec& spec);
// Of a network that make_network() has made of `spec` without memory.
Cost cost_of(const models::ModelSpec& spec, Model& network);

} // namespace vitrain::networks
