#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/random.h"
#include "image/image.h"
#include "image/resample.h"

namespace vitrain::image {

// All functions write a [size, size, 3] square into `out`.

// The evaluation transform of timm and torchvision: the shorter side is resized
// to floor(size / crop_pct), the longer one in proportion (truncated), and the
// centre is cut out (offsets rounded half to even). An image whose shorter side
// has that length already is not resampled.
void resize_and_center_crop(
    const View& view,
    int size,
    double crop_pct,
    Filter filter,
    std::span<std::uint8_t> out);

// The crop that torchvision's RandomResizedCrop draws: a share `scale` of the
// area, uniform; width over height in `ratio`, log-uniform; position uniform;
// ten tries, then the largest centre crop within the ratios.
Rect draw_resized_crop(
    int width,
    int height,
    std::array<double, 2> scale,
    std::array<double, 2> ratio,
    Random& random);

// Cuts `rect` out, then resizes it to the square (pixels outside `rect` have no
// influence, as in torchvision's resized_crop).
void resized_crop(
    const View& view,
    const Rect& rect,
    int size,
    Filter filter,
    std::span<std::uint8_t> out);

// A square cut from the view after `padding` black pixels were added on every
// side; left and top count from the padded corner: 0 <= left <= view.width + 2
// * padding - size, likewise top.
void padded_crop(
    const View& view,
    int padding,
    int left,
    int top,
    int size,
    std::span<std::uint8_t> out);

} // namespace vitrain::image
