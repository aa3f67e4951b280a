#pragma once

#include <string>
#include <vector>

#include "config/load/loaded.h"
#include "config/rules/checker.h"
#include "config/sections/model.h"
#include "models/families/spec.h"

// Rules for the section `model` of a recipe, and for other sections that depend
// on the network.
namespace vitrain::models {

// Value of DataShape::outputs or features while the data have not been listed:
// rules about this number are skipped. As `features` it still indicates
// vectors.
inline constexpr std::int64_t kNotKnown = -1;

// Returns the message for an unknown model name: up to eight known names that
// begin with it, or else the most similar one if any is similar, and all
// families.
std::string unknown_model(const std::string& name);

// Returns a finding for every broken rule: unknown name; keys that the network
// does not support; fewer outputs than the data have classes or, for vectors,
// another number than their targets; for vectors, a network of images or keys
// of images; for images, the family's own rules (Family::check). For an unknown
// name only the number of outputs is checked besides.
std::vector<config::Finding> check(
    const config::ModelConfig& config,
    const DataShape& data);

// If the network has one input channel: replaces the three values of
// data.preprocess.mean, and of std, by their average, as timm's loader does,
// and adds a note if that changes them. Does nothing for vectors or an unknown
// model name.
void average_colours(config::Recipe& recipe, std::vector<std::string>& notes);

// For networks whose number of channels is neither 1 nor 3: checks that the
// evaluation data support it and, if `training`, the training data and
// data.augment, too.
std::vector<config::Finding> check_channels(
    const config::Recipe& recipe,
    bool training);

// Checks that train.class_weights, if not empty, has one weight per output:
// model.num_classes, or the data's classes. Skipped while neither is known.
std::vector<config::Finding> check_class_weights(
    const config::Recipe& recipe,
    const DataShape& data);

// Returns a note if the network has more outputs than the data have classes; ""
// otherwise, for vectors, and if the number of classes is unknown.
std::string unused_outputs(
    const config::ModelConfig& config,
    const DataShape& data);

// Checks that train.loss is `pixels` for masked autoencoders and for no other
// network, and, if train.distill.head is `token`, that distillation is active
// and the network has a distillation head. Returns at most one finding; none
// for an unknown model name.
std::vector<config::Finding> check_loss(const config::Recipe& recipe);

// Checks that the network accepts images of data.augment.image_size, also in
// every stage of data.augment.stages.
std::vector<config::Finding> check_training_size(const config::Recipe& recipe);

// Resets keys of `model` that were set below the recipe layer of model.name:
// those set while model.name was of another family, and those that the network
// does not support. If the data are vectors, also resets image_size and
// in_chans if set below the layer of model.name or of data.eval.kind. Returns
// one note per reset key that the user had set. Keys of higher layers are left
// to check(), which rejects unsupported ones. Does nothing if model.name
// is not set or unknown.
std::vector<std::string> leave_other_families(config::PartialRecipe& loaded);

} // namespace vitrain::models
