#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"
#include "models/spec.h"

// The network of train.distill.
namespace vitrain::models {

// Whether there is one of that name.
std::vector<config::Finding> check_teacher(const config::Recipe& recipe);

// It, for the images and the classes of `student`. Throws Error(kUsage), by
// the keys of train.distill, for a network that is unknown or cannot see them.
ModelSpec resolve_teacher(
    const config::DistillConfig& distill,
    const ModelSpec& student);

// It, for the largest images that `student` is trained with: its weights are
// for those, and positions are resampled from there. Throws as above, and where
// it cannot see the images of every stage.
ModelSpec resolve_teacher(
    const config::Recipe& recipe,
    const ModelSpec& student);

} // namespace vitrain::models
