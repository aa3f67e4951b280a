#pragma once

#include <cstdint>
#include <optional>

#include "data/load/rows.h"
#include "image/image.h"
#include "image/operations/crop_math.h"

namespace vitrain::data {

// Returns a sample's row as an RGB picture (image::in_colours); nullopt if
// Rows::fill() throws an Error. `size`, `channels`: those of the rows. If a row
// has several splits, returns the first one.
std::optional<image::Image> picture_of(
    const Rows& rows,
    std::int64_t sample,
    const image::Size& size,
    std::int64_t channels);

} // namespace vitrain::data
