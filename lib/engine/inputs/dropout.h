#pragma once

#include <cstdint>

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include "config/sections/model.h"

namespace vitrain::engine {

// Returns the generator on `device` of the masks that micro-batch `k` of the
// global batch of a step needs: a pure function of (seed, step, k). Restarts do
// not change the masks, and other numbers of workers do not where micro-batches
// keep their size. Undefined when the model drops nothing.
at::Generator dropout_masks(
    const at::Device& device,
    const config::ModelConfig& model,
    std::uint64_t seed,
    std::int64_t step,
    std::int64_t k);

} // namespace vitrain::engine
