#pragma once

#include "config/recipe.h"
#include "data/augment.h"

namespace vitrain::engine {

// The recipe's augmentation of training images, but for crop and flip.
data::AugmentOptions augment_options(const config::Recipe& recipe);

} // namespace vitrain::engine
