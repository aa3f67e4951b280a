#pragma once

#include <cstdint>

#include "config/sections/recipe.h"
#include "data/sources/index.h"

namespace vitrain::job {

// What is trained on: data.train, without what data.split holds out. Labels
// that are numbers do not say how many classes there are: `classes` does, or
// with 0 the largest one. Throws Error(kData).
data::Index list_training_data(
    const config::Recipe& recipe,
    std::int64_t classes = 0);

} // namespace vitrain::job
