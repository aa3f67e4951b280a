#pragma once

#include <cstdint>

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include "config/sections/model.h"

namespace vitrain::engine {

// Returns the generator, on `device`, of the dropout masks for part `k` of the
// global batch of step `step`: a pure function of (seed, step, k). `k`: number
// of the micro-batch over all workers or, with several replicas, of the
// replica's part of it. Restarts do not change the masks; nor does the number
// of workers if micro-batches keep their size. Undefined if the recipe
// has no dropout.
at::Generator dropout_masks(
    const at::Device& device,
    const config::ModelConfig& model,
    std::uint64_t seed,
    std::int64_t step,
    std::int64_t k);

} // namespace vitrain::engine
