#pragma once

#include <cstdint>

#include "config/sections/augment.h"
#include "config/sections/model.h"
#include "models/families/spec.h"

namespace vitrain::config {
struct DistillConfig;
struct Recipe;
} // namespace vitrain::config

namespace vitrain::models {

// Returns the network of a recipe for data of this shape. Throws Error(kUsage)
// for an unknown name (listing similar and known names), numbers that do not
// fit together, and keys that the family does not support.
ModelSpec resolve(const config::ModelConfig& config, const DataShape& data);

// Returns the number of image channels of a recipe's network; 3 for an unknown
// name.
std::int64_t channels_of(const config::ModelConfig& config);

// Returns `spec` with the image size used in training: data.augment.image_size,
// if set.
ModelSpec in_training(const config::AugmentConfig& augment, ModelSpec spec);

// Returns the recipe of the stage of data.augment.stages whose batches have the
// most pixels, as a recipe without stages.
config::Recipe widest_stage(const config::Recipe& recipe);

// True if only the distillation head learns from the teacher of train.distill.
bool learns_by_token(
    const config::DistillConfig& distill,
    const ModelSpec& spec);

} // namespace vitrain::models
