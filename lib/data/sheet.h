#pragma once

#include <cstdint>
#include <span>

#include "image/image.h"

namespace vitrain::data {

// Squares of `size` pixels side by side, `columns` in a row, with a gap between
// them. `rows` holds `count` of them, [size, size, channels] each; one channel
// is shown as grey.
image::Image contact_sheet(
    std::span<const std::uint8_t> rows,
    std::int64_t count,
    int size,
    int channels,
    int columns);

} // namespace vitrain::data
