#pragma once

#include <cstdint>
#include <vector>

#include "models/families/family.h"
#include "models/families/spec.h"

namespace vitrain::networks {

class Model;

// Cost of a forward pass of one image or vector.
struct Cost {
  // Multiply-accumulate operations of matrix products, attention and
  // convolutions, as published tables count them.
  std::int64_t macs = 0;
  // Number of output values of the layers that `macs` counts ("activations" in
  // Dollar et al., "Fast and accurate model scaling", CVPR 2021, who count
  // convolutions only).
  std::int64_t outputs = 0;
  // `kept`: sum of the operators' results that depend on a trained parameter
  // (requires_grad) or enter an operator whose result does; `passing`: three
  // times the largest result. Both include the input.
  models::ActivationBytes bytes;

  // Memory of a block that train.recompute can recompute; recomputed, the block
  // keeps only its output.
  struct Block {
    std::int64_t results = 0; // bytes of the block's part of bytes.kept
    // Bytes of the block's output, included in `results`; 0 if it does not
    // depend on a trained parameter.
    std::int64_t output = 0;
  };
  std::vector<Block> blocks; // in order of execution

  // Returns the estimated peak memory of backward divided by bytes.kept if the
  // first block and every `every`-th after it are recomputed (recompute.h); it
  // may exceed 1. Returns 1 for `every` == 0, and if bytes.kept is 0.
  double kept_share(std::int64_t every) const;
};

// Counts the cost of the network of `spec`. Builds and runs it on the meta
// device (shapes only, no memory). Throws Error(kInternal) if one of its
// operators has no meta kernel.
Cost cost_of(const models::ModelSpec& spec);
// Counts the cost of `network`, which make_network() built on the meta device.
// Sets it to evaluation mode. Throws Error(kInternal) if one of its operators
// has no meta kernel.
Cost cost_of(const models::ModelSpec& spec, Model& network);

} // namespace vitrain::networks
