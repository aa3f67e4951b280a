#pragma once

#include <string>
#include <vector>

#include "config/load/loaded.h"
#include "config/rules/checker.h"
#include "config/sections/model.h"
#include "models/families/spec.h"

// Rules for the section `model` of a recipe, and for other sections that depend
// on the network (recipe_rules.cpp).
namespace vitrain::models {

// DataShape value while the data have not been listed: rules about this number
// are skipped. As `features` it still indicates vectors.
inline constexpr std::int64_t kNotKnown = -1;

// Returns the message for an unknown model name, with similar and known names.
std::string unknown_model(const std::string& name);

// Returns a finding for every broken rule: unknown name, numbers that do not
// fit together, keys that the family does not support.
std::vector<config::Finding> check(
    const config::ModelConfig& config,
    const DataShape& data);

// Replaces a mean or deviation of colours by its average if the network takes
// grey images, as timm's loader does, and adds a note about it.
void average_colours(config::Recipe& recipe, std::vector<std::string>& notes);

// For networks whose number of channels is neither 1 nor 3: checks that data
// and augmentation support it.
std::vector<config::Finding> check_channels(
    const config::Recipe& recipe,
    bool training);

// Checks that train.class_weights has one weight per class.
std::vector<config::Finding> check_class_weights(
    const config::Recipe& recipe,
    const DataShape& data);

// Returns a note if the network has more outputs than the data have classes; ""
// otherwise, or if the number of classes is unknown.
std::string unused_outputs(
    const config::ModelConfig& config,
    const DataShape& data);

// Checks that train.loss and train.distill fit the network.
std::vector<config::Finding> check_loss(const config::Recipe& recipe);

// Checks that the network accepts images of data.augment.image_size.
std::vector<config::Finding> check_training_size(const config::Recipe& recipe);

// Resets keys that do not apply to the network chosen by a higher recipe layer:
// keys of another family, and image keys if the data are vectors. Returns one
// note per key that the user had set. Keys set in the layer of model.name or
// above are left to check(), which rejects them.
std::vector<std::string> leave_other_families(config::PartialRecipe& loaded);

} // namespace vitrain::models
