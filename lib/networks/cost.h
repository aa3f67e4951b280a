#pragma once

#include <cstdint>
#include <vector>

#include "models/families/family.h"
#include "models/spec.h"

namespace vitrain::networks {

class Model;

// Cost of a forward pass of one image or vector.
struct Cost {
  // Multiply-accumulate operations of matrix products, attention and
  // convolutions, as published tables count them.
  std::int64_t macs = 0;
  // Output values of the same layers ("activations" in Dollar et al., "Fast and
  // accurate model scaling", CVPR 2021, who count convolutions only).
  std::int64_t outputs = 0;
  // Sum of all operators' results, and three times the largest result.
  models::ActivationBytes bytes;

  // A block of train.recompute, which keeps only the block's output.
  struct Block {
    std::int64_t results = 0; // bytes
    std::int64_t output = 0; // the part of `results` that is the output
  };
  std::vector<Block> blocks; // blocks of train.recompute, in order

  // Returns the fraction of bytes.kept in memory at once if every `every`-th
  // block is recomputed (recompute.h).
  double kept_share(std::int64_t every) const;
};

// Runs the network of `spec` on the meta device, without memory, and counts.
// Throws Error(kInternal) if an operator of the network has no meta kernel.
Cost cost_of(const models::ModelSpec& spec);
// Counts the cost of `network`, which make_network() built on the meta device.
Cost cost_of(const models::ModelSpec& spec, Model& network);

} // namespace vitrain::networks
