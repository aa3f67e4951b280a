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

// Rows of a tensor of one part: its third number `index`. One that has no
// thirds stays whole: its shape will be refused by its name.
StoredTensor third(StoredTensor tensor, std::int64_t index);

} // namespace vitrain::weights
