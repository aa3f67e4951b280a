#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/order/draw.h"
#include "image/image.h"

namespace vitrain::data {

// Boxes as timm's RandomErasing (1.0) draws them; torchvision's law is area
// [0.02, 0.33], aspect [0.3, 3.3].
struct EraseOptions {
  double probability = 0.0;
  std::array<double, 2> area{0.02, 1.0 / 3.0}; // share of the image's, together
  std::array<double, 2> aspect{0.3, 1.0 / 0.3}; // height over width
  std::int64_t count = 1; // most boxes; their number is uniform from 1
  std::uint64_t seed = 0;
};

// One of `count` boxes that together are `area` of the image's area, sides
// rounded half to even, at the top left corner; none when it does not fit
// strictly inside.
std::optional<image::Rect> erased_box(
    int height,
    int width,
    double area,
    std::int64_t count,
    double aspect);

// Erased boxes of a sample.
struct Erasing {
  std::vector<image::Rect> boxes; // empty: nothing
  std::uint64_t noise = 0; // seed of the values that fill them
};

// A pure function of its arguments.
Erasing draw_erasing(
    const EraseOptions& options,
    const Draw& draw,
    int height,
    int width);

// Returns the fill of a box with one colour: a normally distributed value per
// channel.
std::vector<float>
erase_colour(const Erasing& erasing, std::size_t box, std::int64_t channels);

// Normally distributed numbers, a pure function of their arguments: boxes that
// are filled pixel by pixel take parts of them.
std::vector<float> erase_numbers(std::uint64_t seed, std::size_t count);

} // namespace vitrain::data
