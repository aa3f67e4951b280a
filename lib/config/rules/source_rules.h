#pragma once

#include <string>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"
#include "config/sections/source.h"

namespace vitrain::config {

// Checks the values of `section` (data.train, data.eval) against its kind:
// values that the kind does not use or does not know are problems.
void check_kind(
    const std::string& section,
    const SourceConfig& source,
    Checker& checker);

// Checks data.split, which replaces evaluation data.
void check_split(const DataConfig& data, Checker& checker);

// Checks data.train.multi_label and data.eval.multi_label against other keys.
void check_label_lists(const Recipe& recipe, bool trains, Checker& checker);

// Checks eval.subset and eval.real_labels against the data.
void check_evaluation(const Recipe& recipe, Checker& checker);

// Checks the numbers that pixels become network input with.
void check_pixels(const PreprocessConfig& preprocess, Checker& checker);

} // namespace vitrain::config
