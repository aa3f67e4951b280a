#pragma once

#include <string>
#include <vector>

#include "config/load_recipe.h"
#include "config/sections/recipe.h"
#include "data/sources/label_form.h"
#include "models/families/spec.h"

namespace vitrain::job {

// A network and its weights, for verbs that use one without training it.
struct WeightsJob {
  config::Recipe recipe; // model.pretrained is set and exists
  models::ModelSpec spec;
  // Names of the classes that the weights were trained with; empty if unknown,
  // or if they are not as many as the network's outputs.
  std::vector<std::string> classes;
  bool multi_label = false; // an image has any number of labels
  // Form of the labels in the weights' training data.
  data::LabelForm labels = data::LabelForm::kNone;
  // printable path of the config.yaml of the weights' run, if it was read; else
  // ""
  std::string recipe_file;
  std::vector<std::string> notes; // sentences
};

// Determines the network of the weights and the preprocessing of its inputs:
// from the recipe, or, without -cfg, from the config.yaml of the run that wrote
// the weights; then from the weights' record (use_record). `use`: purpose of
// the weights for messages, "to export". Makes no torch calls. Throws Error if
// weights are missing, the recipe is invalid, or nothing determines the network
// or the number of classes.
WeightsJob prepare_weights(const config::LoadRequest& request, const char* use);

} // namespace vitrain::job
