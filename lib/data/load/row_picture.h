#pragma once

#include <cstdint>
#include <optional>

#include "data/load/rows.h"
#include "image/image.h"
#include "image/resample/crop_math.h"

namespace vitrain::data {

// Returns the picture of a sample as preprocessed for a network with this image
// size and channels (image::in_colours); nullopt if it cannot be read.
std::optional<image::Image> picture_of(
    const Rows& rows,
    std::int64_t sample,
    const image::Size& size,
    std::int64_t channels);

} // namespace vitrain::data
