#pragma once

#include <cstdint>

#include "models/spec.h"

namespace vitrain::models {

// Bytes of the results of layers, of one sample.
struct ActivationBytes {
  std::int64_t kept = 0; // of training: what backward needs of a forward pass
  std::int64_t passing = 0; // without backward: the most that is needed at once
};

// Counts what the layers of a network hold, from its numbers alone; in bf16
// where `bf16` (autocast). Makes no torch call.
ActivationBytes activation_bytes(const ModelSpec& spec, bool bf16);

} // namespace vitrain::models
