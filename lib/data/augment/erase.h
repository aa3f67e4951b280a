#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/augment/draw.h"
#include "image/image.h"

namespace vitrain::data {

// Options of random erasing, as in timm's RandomErasing (1.0). torchvision's
// RandomErasing has area [0.02, 0.33] and aspect [0.3, 3.3].
struct EraseOptions {
  double probability = 0.0; // that boxes of an image are erased
  // Range of the fraction of the image's area for all boxes together; each box
  // samples a fraction and covers that divided by the number of boxes.
  std::array<double, 2> area{0.02, 1.0 / 3.0};
  // Range of height over width, log-uniform.
  std::array<double, 2> aspect{0.3, 1.0 / 0.3};
  // Maximum number of boxes; the number is uniform in [1, count].
  std::int64_t count = 1;
  std::uint64_t seed = 0;
};

// Returns the size of one of `count` boxes that together cover the fraction
// `area` of the image, as a rectangle at the top left corner. `aspect`: height
// over width. Sides are rounded half to even and may be 0. nullopt if a side is
// not shorter than the image's.
std::optional<image::Rect> erased_box(
    int height,
    int width,
    double area,
    std::int64_t count,
    double aspect);

// Erased boxes of a sample.
struct Erasing {
  std::vector<image::Rect> boxes; // empty: erases nothing
  std::uint64_t noise = 0; // seed of the random values that fill the boxes
};

// Samples the erased boxes of a draw; a pure function of its arguments.
Erasing draw_erasing(
    const EraseOptions& options,
    const Draw& draw,
    int height,
    int width);

// Returns the colour of box number `box` if it is filled with a single colour:
// a standard normal value per channel, for normalised images.
std::vector<float>
erase_colour(const Erasing& erasing, std::size_t box, std::int64_t channels);

// Returns standard normal numbers; a pure function of its arguments. Boxes
// filled pixel by pixel use ranges of them.
std::vector<float> erase_numbers(std::uint64_t seed, std::size_t count);

} // namespace vitrain::data
