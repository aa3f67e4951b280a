#pragma once

#include <array>
#include <cstdint>

#include "image/operations/canvas.h"

namespace vitrain::image {

enum class Interpolation { kNearest, kBilinear, kBicubic };

// Affine map from the result to the source: the point (x, y) of the result has
// the colour of the point (a * x + b * y + c, d * x + e * y + f) of the source.
// The centre of the pixel in column i and row j is the point (i + 0.5, j +
// 0.5).
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

// Applies an affine map; byte-equal to Image.transform(size, AFFINE, ...) of
// Pillow 12 on RGB. Requires source coordinates below 32768 in magnitude.
void affine(
    const Canvas& canvas,
    const AffineMap& map,
    const AffineOptions& options,
    Scratch& scratch);

// Rotates counter-clockwise about the centre, as Image.rotate. Multiples of 90
// degrees that keep the size move pixels without interpolation.
void rotate(
    const Canvas& canvas,
    double degrees,
    const AffineOptions& options,
    Scratch& scratch);

} // namespace vitrain::image
