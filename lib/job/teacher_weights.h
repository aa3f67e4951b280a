#pragma once

#include <string>
#include <vector>

#include "config/load_recipe.h"
#include "config/sections/recipe.h"

namespace vitrain::job {

// Returns the keys of the teacher's weights in train.distill as a `model`
// section, with `pretrained`, if it is set, as a path. Throws as
// resolve_weights().
config::ModelConfig teacher_weights(const config::DistillConfig& distill);

// Checks that the teacher's classes equal the student's (each output of the
// teacher is the target of the student's output with the same index), if the
// teacher's weights are on this machine and have a record
// (preprocess_record.h). Throws Error(kData) with the first difference between
// its classes and `classes` of data.train, or only warns if eval.check_classes
// is false. Returns warnings and notes, one sentence per difference, also for
// differences in preprocessing; empty without a teacher or a record. Throws
// Error(kWeights) for an unreadable record.
std::vector<std::string> check_teacher(
    const config::Recipe& recipe,
    const config::Origins& origins,
    const std::vector<std::string>& classes);

} // namespace vitrain::job
