#pragma once

#include <string>
#include <vector>

#include "config/load/load_recipe.h"
#include "config/sections/recipe.h"

namespace vitrain::job {

// The weights of train.distill's teacher, named as those of a network are.
config::ModelConfig teacher_weights(const config::DistillConfig& distill);

// Whether the teacher has learned what it is to teach, as far as its weights
// are here and have a record (preprocess_record.h): each of its outputs is a
// target for the student's output of the same number. Throws Error(kData)
// naming the first difference between its classes and `classes` of data.train,
// or warns of it where eval.check_classes is false. Returns warnings and notes,
// a sentence for each difference, also between the images that it has learned
// from and those of the recipe; none without a teacher. Throws
// Error(kWeights) for a record that cannot be read.
std::vector<std::string> check_teacher(
    const config::Recipe& recipe,
    const config::Origins& origins,
    const std::vector<std::string>& classes);

} // namespace vitrain::job
