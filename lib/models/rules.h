#pragma once

#include <string>
#include <vector>

#include "config/rules/checker.h"
#include "config/schema/read.h"
#include "config/sections/model.h"
#include "models/spec.h"

// What the section `model` of a recipe has to obey, and others for its network
// (recipe_rules.cpp).
namespace vitrain::models {

// In DataShape: nobody has looked at the data yet, and rules about the number
// have to wait. (As `features`: they are vectors all the same.)
inline constexpr std::int64_t kNotKnown = -1;

// That there is no network of this name, with near and known ones.
std::string unknown_model(const std::string& name);

// Every rule that the network of a recipe breaks: an unknown name (with near
// and known ones), numbers that do not fit together, options that the family
// does not have.
std::vector<config::Finding> check(
    const config::ModelConfig& config,
    const DataShape& data);

// Whether the normalisation of images goes with the network's input.
std::vector<config::Finding> check_normalisation(
    const config::Recipe& recipe,
    const DataShape& data);

// Whether the data can have, and the augmentation be done to, images of so many
// channels as the network takes: those that are not 1 or 3.
std::vector<config::Finding> check_channels(
    const config::Recipe& recipe,
    bool training);

// Whether train.class_weights has a number for each class.
std::vector<config::Finding> check_class_weights(
    const config::Recipe& recipe,
    const DataShape& data);

// Returns a note, in a sentence, where the network has more outputs than the
// data have classes; "" where it has not, or that is not known.
std::string unused_outputs(
    const config::ModelConfig& config,
    const DataShape& data);

// Whether the loss, and what a teacher adds to it, are such that the network
// can be trained with them.
std::vector<config::Finding> check_loss(const config::Recipe& recipe);

// Whether the network can be trained with images of data.augment.image_size.
std::vector<config::Finding> check_training_size(const config::Recipe& recipe);

// Sets keys back to their defaults that have no meaning for the network which a
// higher layer has chosen: those of another family, and those of images where
// the data are vectors. Says so, a sentence for each. What stands beside
// model.name, or above it, is left for check() to refuse.
std::vector<std::string> leave_other_families(config::Reading& loaded);

} // namespace vitrain::models
