#pragma once

#include "data/sources/index.h"
#include "engine/step/average_precision.h"
#include "results/multi_label.h"

namespace vitrain::engine {

// Converts scores of multi-label data, at least one sample's, into results
// without file paths: samples in the dataset's order, and every class that the
// dataset names.
results::LabelListEvaluation label_lists_of(
    const Scores& scores,
    const data::Index& index);

} // namespace vitrain::engine
