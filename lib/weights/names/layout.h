#pragma once

#include <cstdint>

#include "weights/archive.h"
#include "weights/names/convention.h"

namespace vitrain::weights {

// A tensor of one part, of the layout, as timm has it. One of another rank than
// the layout is for stays as it is: its shape will be refused by its name.
StoredTensor arranged(StoredTensor tensor, Layout layout);

// Element `index` along the first dimension, below its size, of a tensor of one
// part.
StoredTensor element(const StoredTensor& tensor, std::int64_t index);

// Rows of a tensor of one part: its thirds from number `first` on, `count` of
// them. One that has no thirds stays whole: its shape will be refused by its
// name.
StoredTensor
thirds(StoredTensor tensor, std::int64_t first, std::int64_t count);

} // namespace vitrain::weights
