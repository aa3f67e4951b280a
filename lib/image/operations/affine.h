#pragma once

#include <array>
#include <cstdint>

#include "image/operations/canvas.h"

namespace vitrain::image {

enum class Interpolation { kNearest, kBilinear, kBicubic };

// Maps a pixel (x, y) of the result to the source: its centre (x + 0.5, y +
// 0.5) corresponds to (a * x + b * y + c, d * x + e * y + f) of the image.
struct AffineMap {
  double a = 1;
  double b = 0;
  double c = 0;
  double d = 0;
  double e = 1;
  double f = 0;
};

struct AffineOptions {
  Interpolation interpolation = Interpolation::kBicubic;
  std::array<std::uint8_t, 3> fill{}; // colour outside the image
};

// Byte-equal to Image.transform(size, AFFINE, ...) of Pillow 12 on RGB.
// Requires coordinates of the source below 32768 in magnitude.
void affine(
    const Canvas& canvas,
    const AffineMap& map,
    const AffineOptions& options,
    Scratch& scratch);

// Image.rotate: counter-clockwise about the centre; multiples of 90 degrees
// that fit move pixels without interpolation.
void rotate(
    const Canvas& canvas,
    double degrees,
    const AffineOptions& options,
    Scratch& scratch);

} // namespace vitrain::image
