#pragma once

#include <string>
#include <vector>

#include "config/rules/checker.h"
#include "config/schema/read.h"
#include "config/sections/model.h"
#include "models/spec.h"

// Rules for the section `model` of a recipe, and for other sections that depend
// on the network (recipe_rules.cpp).
namespace vitrain::models {

// Value in DataShape before the data are listed: rules about this number are
// skipped. As `features` it still means vectors.
inline constexpr std::int64_t kNotKnown = -1;

// Returns the message for an unknown model name, with similar and known names.
std::string unknown_model(const std::string& name);

// Returns a finding for every broken rule: an unknown name, numbers that do not
// fit together, options that the family does not have.
std::vector<config::Finding> check(
    const config::ModelConfig& config,
    const DataShape& data);

// Checks the normalisation of images against the network's input.
std::vector<config::Finding> check_normalisation(
    const config::Recipe& recipe,
    const DataShape& data);

// Checks that data and augmentation support the network's number of channels,
// if it is neither 1 nor 3.
std::vector<config::Finding> check_channels(
    const config::Recipe& recipe,
    bool training);

// Checks that train.class_weights has one number per class.
std::vector<config::Finding> check_class_weights(
    const config::Recipe& recipe,
    const DataShape& data);

// Returns a note if the network has more outputs than the data have classes; ""
// if not, or if the classes are not known.
std::string unused_outputs(
    const config::ModelConfig& config,
    const DataShape& data);

// Checks that the loss and the distillation fit the network.
std::vector<config::Finding> check_loss(const config::Recipe& recipe);

// Checks that the network can be trained with images of
// data.augment.image_size.
std::vector<config::Finding> check_training_size(const config::Recipe& recipe);

// Resets keys that have no meaning for the network chosen by a higher layer:
// keys of another family, and keys of images if the data are vectors. Returns
// one note per key. Keys set in the layer of model.name or above are left for
// check() to refuse.
std::vector<std::string> leave_other_families(config::Reading& loaded);

} // namespace vitrain::models
