#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

#include "data/sources/index.h"

namespace vitrain::engine {

// Targets of samples with lists of labels: 1 for a class in a sample's list, 0
// for the others; [samples, classes] fp32.
at::Tensor multi_hot(
    const data::Index& index,
    std::span<const std::int64_t> samples,
    std::int64_t classes);

} // namespace vitrain::engine
