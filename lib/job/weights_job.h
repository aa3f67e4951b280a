#pragma once

#include <string>
#include <vector>

#include "config/load/load_recipe.h"
#include "config/sections/recipe.h"
#include "data/sources/labels/label_form.h"
#include "models/spec.h"

namespace vitrain::job {

// A network with its weights, for the verbs that use one as it is.
struct WeightsJob {
  config::Recipe recipe; // model.pretrained is there
  models::ModelSpec spec;
  // Names of the classes that the weights were trained with; empty: not known.
  std::vector<std::string> classes;
  bool multi_label = false; // an image has any number of them
  data::LabelForm labels = data::LabelForm::kNone; // of their training data
  std::string recipe_file; // config.yaml of their run, if any; printable
  std::vector<std::string> notes; // sentences
};

// The network of the weights, and how its inputs are made: as the recipe says,
// or, without -cfg, the config.yaml of the run that the weights are of; and as
// the weights' record says (use_record). `use` is what the weights are for, in
// messages: "to export". Makes no torch call. Throws Error: weights that are
// not there, a recipe that is wrong, a network or a number of classes that
// nothing says.
WeightsJob prepare_weights(const config::LoadRequest& request, const char* use);

} // namespace vitrain::job
