#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"
#include "models/families/spec.h"

// Teacher network of train.distill.
namespace vitrain::models {

// Checks the teacher's name.
std::vector<config::Finding> check_teacher(const config::Recipe& recipe);

// Returns the teacher's spec for the images and classes of `student`. Throws
// Error(kUsage), naming keys of train.distill, if the network is unknown or
// does not accept these images.
ModelSpec resolve_teacher(
    const config::DistillConfig& distill,
    const ModelSpec& student);

// Returns the teacher's spec for the largest images that `student` is trained
// with; for other stages its positions are resampled from these. Throws as
// above, and if the teacher does not accept the images of some stage.
ModelSpec resolve_teacher(
    const config::Recipe& recipe,
    const ModelSpec& student);

} // namespace vitrain::models
