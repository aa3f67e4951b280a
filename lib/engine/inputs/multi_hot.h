#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

#include "data/sources/index.h"

namespace vitrain::engine {

// Returns targets of multi-label samples: 1 for classes in a sample's list,
// otherwise 0; [samples, classes] fp32 on the CPU.
at::Tensor multi_hot(
    const data::Index& index,
    std::span<const std::int64_t> samples,
    std::int64_t classes);

} // namespace vitrain::engine
