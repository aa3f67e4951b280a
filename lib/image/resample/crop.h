#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "image/image.h"
#include "image/resample/resample.h"

namespace vitrain::image {

// How a size x size square is made from an image. Depends on the image's size
// alone (and random numbers), so that a decoder can be told what is needed
// before it starts.
struct CropPlan {
  // What lies outside the part of the square that the image covers.
  enum class Border { kFill, kReflect };

  int size = 0;
  Rect from; // this part of the image, ...
  int width = 0; // ... resized to width x height as if it stood alone, ...
  int height = 0;
  Filter filter = Filter::kBicubic;
  Rect window; // ... of which this is seen (it may be empty) ...
  int left = 0; // ... from this place of the square on
  int top = 0;
  Border border = Border::kFill;
  std::array<std::uint8_t, 3> fill{};
  bool mirrored = false; // the finished square, left to right
  Pillow pillow = Pillow::k12; // whose resize

  // The pixels of the image that the square depends on; empty if none.
  Rect source() const;
};

// Writes the [size, size, 3] square to `out`. `part` holds the image's pixels
// from (left, top) on, at least those of plan.source().
void cut(
    const CropPlan& plan,
    const View& part,
    int left,
    int top,
    Resampler& resampler,
    std::span<std::uint8_t> out);

} // namespace vitrain::image
