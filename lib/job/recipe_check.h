#pragma once

#include <string>
#include <vector>

#include "config/load/loaded.h"
#include "config/load_recipe.h"
#include "config/rules/validate.h"
#include "models/families/spec.h"

// Reads and checks a whole recipe: problems in its files, between its keys,
// with its network and its paths are reported together. Makes no torch call.
namespace vitrain::job {

// Reads a recipe. Replaces other programs' names of networks and resets keys of
// `model` that do not fit the network (models::use_published_names(),
// leave_other_families()), with notes. Problems are added to `problems`;
// without it, they are thrown as Error(kUsage).
config::PartialRecipe load_recipe(const config::LoadRequest& request);
config::PartialRecipe load_recipe(
    const config::LoadRequest& request,
    config::Problems& problems);

// Returns the context for checking a recipe that runs on this machine, or on
// several like it.
config::CheckContext circumstances_here(
    const config::PartialRecipe& loaded,
    bool training);

// Throws Error(kUsage) if `problems` is not empty or a rule is broken, with all
// of them: the rules of config::validate(), and those of the network as far as
// the recipe alone describes the data. The message then also lists missing
// paths of keys that the user has set, which alone are no error. Rules about
// keys that could not be read are skipped, and the last line of the message
// says so.
void check_rules(
    const config::Recipe& recipe,
    const config::Origins& origins,
    const config::CheckContext& context,
    config::Problems problems = {});

// Throws Error(kUsage) if the network or train.class_weights breaks a rule with
// this `data`, with all such rules.
void check_network(
    const config::Recipe& recipe,
    const config::Origins& origins,
    const models::DataShape& data);

// Returns a sentence for each of data.train.path, data.eval.path, eval.subset,
// eval.real_labels, model.pretrained and train.distill.pretrained that names
// nothing on this machine (weights: or several files). Paths of tar files,
// which may be patterns, are not checked; the training data and the teacher
// only if `training`.
std::vector<std::string> missing_paths(
    const config::Recipe& recipe,
    const config::Origins& origins,
    bool training);

} // namespace vitrain::job
