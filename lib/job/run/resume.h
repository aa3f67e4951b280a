#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/load/problems.h"
#include "config/schema/writer.h"
#include "config/sections/recipe.h"
#include "job/run/run_directory.h"

// Selection of the run to resume, and preparation of its folder. Recipes are
// compared with the folder's config.yaml.
namespace vitrain::job {

// Returns true if no difference changes training; paths of data may differ
// (RunIdentity compares their content).
bool same_recipe(const std::vector<config::Difference>& differences);

// Returns "\n optim.lr: 0.001 -> 0.1" for each difference.
std::string listed(const std::vector<config::Difference>& differences);

// Gives a recipe that starts from weights (model.pretrained) the run's own
// values of the keys that weights can decide (data.preprocess.*,
// model.image_size, model.name), but for those that `origins` have: the weights
// may be gone by now. A name that means the weights that the run has recorded
// (their folder, timm:NAME) becomes their path. Throws Error when the run's
// config.yaml cannot be read.
void adopt_values_of_weights(
    const RunDirectory& run,
    config::Recipe& recipe,
    config::Origins& origins);

// What `recipe`, after adopt_values_of_weights(), changes about the recipe that
// a run was last trained with. Throws likewise.
std::vector<config::Difference> changes_to(
    const RunDirectory& run,
    const config::Recipe& recipe,
    const config::Origins& origins = {});

// Result of searching run.output for `-resume auto`.
struct NewestRun {
  // The newest run of this name and recipe with a checkpoint; otherwise the
  // newest whose recipe differs only in length (run.epochs, run.max_steps);
  // otherwise the newest of this recipe, which ended before its first
  // checkpoint.
  std::optional<std::filesystem::path> path;
  // Otherwise the newest run of this name, and the reason against it.
  std::optional<std::filesystem::path> other;
  std::string reason; // lines, each after a line end
};

// Returns true if the run has checkpoints, intact or not.
bool has_checkpoints(const RunDirectory& run);

NewestRun newest_run(
    const config::Recipe& recipe,
    const std::string& name,
    const config::Origins& origins = {});

// Prepares a run folder for the steps after `step` with `recipe`: replaces
// config.yaml, and moves checkpoints of later steps, which then belong to
// another branch. Nothing is lost: replaced files are kept in <run>/replaced-N,
// which has the layout of a run folder (config.yaml, and the records of its
// checkpoints' steps) and can be resumed if it has an intact checkpoint.
// Returns notes, one sentence each. Throws Error(kStorage).
std::vector<std::string> prepare_to_resume(
    const RunDirectory& run,
    const config::Recipe& recipe,
    std::int64_t step);

} // namespace vitrain::job
