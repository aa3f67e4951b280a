#pragma once

#include <cstdint>

#include "config/sections/recipe.h"
#include "data/sources/index.h"

namespace vitrain::job {

// Lists the training data: data.train without the samples held out by
// data.split, and of the rest the part that data.fraction or data.per_class
// takes. `classes`: number of classes of numeric labels; 0: largest label + 1.
// Throws Error(kData).
data::Index list_training_data(
    const config::Recipe& recipe,
    std::int64_t classes = 0);

} // namespace vitrain::job
