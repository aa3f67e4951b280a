#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "image/image.h"

namespace vitrain::image {

enum class Filter { kBilinear, kBicubic };

// A source region in pixels; edges may lie between pixels. Single precision
// because Pillow's is, and results are equal to the last bit.
struct Box {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};

// The image scaled to width x height with antialias, byte-equal to
// Image.resize( (width, height), filter, box=box) on RGB of Pillow up to
// version 12: separable filters in 22-bit fixed point, columns first, rounded
// to 8 bits between the passes. (Pillow 13 takes the rows first when the height
// shrinks much more than the width; published results are older.) Without a box
// the whole image. Requires width, height > 0 and a box inside the image with a
// positive size.
Image resize(
    const Image& image,
    int width,
    int height,
    Filter filter,
    std::optional<Box> box = std::nullopt);

// The same on a view, computing only `window` of the width x height result.
// `out` receives [window.height, window.width, 3].
void resize_window(
    const View& view,
    int width,
    int height,
    Filter filter,
    std::optional<Box> box,
    const Rect& window,
    std::span<std::uint8_t> out);

} // namespace vitrain::image
