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

// Returns the spec of a recipe's network for data of this shape. Its number of
// classes is `config.num_classes`; if unset, `data.outputs`. Throws
// Error(kUsage) with all findings of check() (rules.h).
ModelSpec resolve(const config::ModelConfig& config, const DataShape& data);

// Returns model.in_chans; if unset, the channels of the network model.name, 3
// for an unknown name.
std::int64_t channels_of(const config::ModelConfig& config);

// Returns `spec` with the image size used in training: `augment.image_size`; if
// unset, returns `spec` unchanged.
ModelSpec in_training(const config::AugmentConfig& augment, ModelSpec spec);

// Returns the recipe in that stage of data.augment.stages whose training
// batches have the most pixels (of equals, the last). The result has no stages,
// and data.eval_batch_size is set.
config::Recipe widest_stage(const config::Recipe& recipe);

// True if distillation is on and only the distillation head learns from the
// teacher: the network has such a head, and train.distill.head is not `mean`.
bool learns_by_token(
    const config::DistillConfig& distill,
    const ModelSpec& spec);

} // namespace vitrain::models
