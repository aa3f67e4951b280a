#pragma once

#include <string>
#include <vector>

#include "config/load/load.h"
#include "config/sections/recipe.h"
#include "models/spec.h"

namespace vitrain::job {

// What `export` is asked for.
struct ExportJob {
  config::Recipe recipe; // model.pretrained is there
  models::ModelSpec spec;
  // Names of the classes that the weights were trained with; empty: not known.
  std::vector<std::string> classes;
  std::vector<std::string> notes; // sentences
};

// The network of the weights, and how its inputs are made: as the recipe says,
// or, without -cfg, the config.yaml of the run that the weights are of; and as
// the weights' own record says. Makes no torch call. Throws Error: weights that
// are not there, a recipe that is wrong, a network or a number of classes that
// nothing says.
ExportJob prepare_export(config::LoadRequest request);

} // namespace vitrain::job
