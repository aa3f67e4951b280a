#pragma once

#include <cstdint>
#include <optional>

#include "data/load/rows.h"
#include "image/image.h"
#include "image/resample/crop_math.h"

namespace vitrain::data {

// A sample as a network of images of this size and so many channels sees it, as
// a picture (image::in_colours); nothing where it cannot be read.
std::optional<image::Image> picture_of(
    const Rows& rows,
    std::int64_t sample,
    const image::Size& size,
    std::int64_t channels);

} // namespace vitrain::data
