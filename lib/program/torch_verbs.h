#pragma once

#include <string>
#include <vector>

#include "config/command_line/arguments.h"
#include "models/model_counts.h"

namespace vitrain::program {

// One function per verb that needs torch: wiring only. Each returns the exit
// code: predict() kData if it cannot read some images, weights() 1 if `weights
// diff` finds a difference.
int export_verb(const config::Arguments& arguments);
int predict(const config::Arguments& arguments);
int weights(const config::Arguments& arguments);
int version();

// Creates and counts the networks with these names, using all cores; in the
// order of the names. find_model() must know them. For the verb `models`
// (verbs::CountModels).
std::vector<models::ModelCounts> count_models(
    const std::vector<std::string>& names);

} // namespace vitrain::program
