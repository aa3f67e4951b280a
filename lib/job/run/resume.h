#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/load/writer.h"
#include "config/schema/problems.h"
#include "config/sections/recipe.h"
#include "job/run/run_directory.h"

// Selects the run to resume and prepares its folder. Recipes are compared with
// the config.yaml of the folder.
namespace vitrain::job {

// True if none of the differences changes training. Data paths may differ,
// because RunIdentity compares the content.
bool same_recipe(const std::vector<config::Difference>& differences);

// Returns "\n  optim.lr: 0.001 -> 0.1" for each difference.
std::string listed(const std::vector<config::Difference>& differences);

// For a recipe with model.pretrained: sets the keys that the weights' record
// can set (data.preprocess.*, model.image_size, model.name) to the run's
// values, except those in `origins` (set by the user). The weights themselves
// may be gone. A model.pretrained that means the run's recorded weights (their
// folder, timm:NAME) becomes their path. Throws Error if the run's config.yaml
// cannot be read.
void adopt_values_of_weights(
    const RunDirectory& run,
    config::Recipe& recipe,
    config::Origins& origins);

// Returns the differences of `recipe`, after adopt_values_of_weights(), from
// the recipe that the run was last trained with. Throws as
// adopt_values_of_weights().
std::vector<config::Difference> changes_to(
    const RunDirectory& run,
    const config::Recipe& recipe,
    const config::Origins& origins = {});

// Result of searching run.output for `-resume auto`.
struct NewestRun {
  // The newest run of this name with a checkpoint and this recipe
  // (same_recipe()); otherwise the newest one with a checkpoint whose recipe
  // differs only in length (run.epochs, run.max_steps); otherwise the newest
  // one of this recipe, which ended before its first checkpoint.
  std::optional<std::filesystem::path> path;
  // The newest run of this name with a checkpoint whose recipe differs in more
  // than data paths and length, or cannot be read.
  std::optional<std::filesystem::path> other;
  std::string reason; // differences of `other`: lines, each after a line end
};

// Returns true if the run has checkpoints, intact or not.
bool has_checkpoints(const RunDirectory& run);

// Searches run.output for runs called `name`. `origins`: keys set by the user,
// for adopt_values_of_weights().
NewestRun newest_run(
    const config::Recipe& recipe,
    const std::string& name,
    const config::Origins& origins = {});

// Prepares a run folder for continuing after `step` with `recipe`: removes
// leftovers, replaces config.yaml, and moves away checkpoints of later steps,
// which then belong to another branch. Replaced files are kept in
// <run>/replaced-N, which has the layout of a run folder (config.yaml, and the
// records of its checkpoints' steps) and can be resumed if it has an intact
// checkpoint. Returns notes, one sentence each. Throws Error(kStorage).
std::vector<std::string> prepare_to_resume(
    const RunDirectory& run,
    const config::Recipe& recipe,
    std::int64_t step);

} // namespace vitrain::job
