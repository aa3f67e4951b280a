#pragma once

#include <array>
#include <cstdint>

#include "config/sections/recipe.h"
#include "data/augment/augment.h"

namespace vitrain::job {

// Returns the recipe's augmentation of training images, except cropping,
// horizontal flipping, erasing and mixing.
data::AugmentOptions augment_options(const config::Recipe& recipe);

// Returns timm's fill colour for pixels outside of an image: the mean (0 to 1)
// times 255, rounded half to even as Python's round().
std::array<std::uint8_t, 3> mean_colour(const std::array<double, 3>& mean);

} // namespace vitrain::job
