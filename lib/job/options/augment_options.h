#pragma once

#include <array>
#include <cstdint>

#include "config/sections/recipe.h"
#include "data/augment/augment.h"

namespace vitrain::job {

// The recipe's augmentation of training images, but for crop and flip.
data::AugmentOptions augment_options(const config::Recipe& recipe);

// Returns timm's fill colour outside of images: the mean in 8 bits, rounded
// half to even as Python's round().
std::array<std::uint8_t, 3> mean_colour(const std::array<double, 3>& mean);

} // namespace vitrain::job
