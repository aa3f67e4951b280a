#pragma once

#include <cstdint>
#include <optional>

#include "data/load/rows.h"
#include "image/image.h"
#include "image/operations/crop_math.h"

namespace vitrain::data {

// Returns a sample's pixels, preprocessed for a network with this image size
// and channel count, as an RGB picture (image::in_colours); nullopt if the
// sample cannot be read.
std::optional<image::Image> picture_of(
    const Rows& rows,
    std::int64_t sample,
    const image::Size& size,
    std::int64_t channels);

} // namespace vitrain::data
