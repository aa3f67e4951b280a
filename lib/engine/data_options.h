#pragma once

#include "config/recipe.h"
#include "data/index.h"
#include "data/pipeline.h"
#include "data/sampler.h"

namespace vitrain::engine {

// The recipe's sections as the plain option structs of lib/data.
data::SourceOptions source_options(
    const config::SourceConfig& source,
    bool train);
data::TransformOptions transform_options(
    const config::Recipe& recipe,
    std::int64_t image_size,
    bool train);
data::SamplerOptions sampler_options(const config::Recipe& recipe);

} // namespace vitrain::engine
