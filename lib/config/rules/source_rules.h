#pragma once

#include <string>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"
#include "config/sections/source.h"

namespace vitrain::config {

// Checks that the kind of `section` (data.train or data.eval) uses its
// class_map, multi_label and label if they are set, and knows the label.
void check_kind(
    const std::string& section,
    const SourceConfig& source,
    Checker& checker);

// Checks data.split, fold, fraction, per_class and split_seed against each
// other and against the kinds and paths of the data.
void check_split(const DataConfig& data, Checker& checker);

// Checks data.train.multi_label and data.eval.multi_label against other keys.
// `trains` false: skips keys that only training uses.
void check_label_lists(const Recipe& recipe, bool trains, Checker& checker);

// Checks eval.subset and eval.real_labels against the data and the loss, and
// that a checkpoint.metric of real labels has eval.real_labels.
void check_evaluation(const Recipe& recipe, Checker& checker);

// Checks that data.preprocess.mean and std are at most 1, and that
// data.preprocess.range is not empty.
void check_pixels(const PreprocessConfig& preprocess, Checker& checker);

} // namespace vitrain::config
