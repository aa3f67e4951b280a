#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"
#include "models/families/spec.h"

// Teacher network of train.distill.
namespace vitrain::models {

// Reports train.distill.teacher if it is an unknown model name. No finding if
// distillation is off or the name is empty.
std::vector<config::Finding> check_teacher(const config::Recipe& recipe);

// Returns the teacher's spec for the images and classes of `student`. Throws
// Error(kUsage), naming train.distill.teacher, if the network is unknown or
// does not accept these images.
ModelSpec resolve_teacher(
    const config::DistillConfig& distill,
    const ModelSpec& student);

// Returns the teacher's spec for the largest images of all stages of
// data.augment.stages; for smaller images its positions are resampled. Throws
// Error(kUsage), naming train.distill.teacher, if the network is unknown, does
// not accept the images of a stage, or accepts only one size and stages have
// several.
ModelSpec resolve_teacher(
    const config::Recipe& recipe,
    const ModelSpec& student);

} // namespace vitrain::models
