#pragma once

#include <cstdint>

#include "weights/archive.h"
#include "weights/names/convention.h"

namespace vitrain::weights {

// Returns `tensor`, which has one StridedPart and is stored in `layout`, as a
// view in timm's layout. If its shape does not fit `layout`, returns it
// unchanged; match_weights() then reports its shape.
StoredTensor arranged(StoredTensor tensor, Layout layout);

// Returns element `index` (below the size) of the first dimension of a tensor
// that has one StridedPart.
StoredTensor element(const StoredTensor& tensor, std::int64_t index);

// Returns `count` thirds of the rows, starting with third `first` (from 0), of
// a tensor that has one StridedPart. If the number of rows is not divisible by
// 3, returns the tensor unchanged; match_weights() then reports its shape.
StoredTensor
thirds(StoredTensor tensor, std::int64_t first, std::int64_t count);

} // namespace vitrain::weights
