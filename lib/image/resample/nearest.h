#pragma once

#include <vector>

#include "image/resample/resample.h"

namespace vitrain::image {

// For outputs [begin, begin + count) of an axis on which [low, high) of `in`
// pixels become `out` pixels, the source pixel that Pillow's affine transform
// takes; -1 where rounding leads it out of the image (the pixel is black).
std::vector<int>
nearest_pixels(int in, float low, float high, int out, int begin, int count);

// Rows `rows` and columns `columns` of `part`, which holds the source from
// (left, top) on.
void pick(
    const View& part,
    int left,
    int top,
    const std::vector<int>& columns,
    const std::vector<int>& rows,
    std::uint8_t* out,
    std::size_t stride);

} // namespace vitrain::image
