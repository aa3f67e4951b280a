#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/load/problems.h"
#include "config/schema/writer.h"
#include "config/sections/recipe.h"
#include "job/run/run_directory.h"

// What -resume continues, and what becomes of the run folder when a run goes on
// in it. Recipes are compared with the folder's config.yaml.
namespace vitrain::job {

// Whether a run goes on as it was: what differs changes nothing that is
// trained, or is only where the data lie (what they are, RunIdentity compares).
bool same_recipe(const std::vector<config::Difference>& differences);

// "\n  optim.lr: 0.001 -> 0.1" for each of them.
std::string listed(const std::vector<config::Difference>& differences);

// Gives a recipe that starts from weights (model.pretrained) the run's own
// values of the keys that weights can decide (data.preprocess.*,
// model.image_size, model.name), but for those that `origins` have: the weights
// may be gone by now. A name that means the weights that the run has recorded
// (their folder, timm:NAME) becomes their path. Throws Error when the run's config.yaml cannot be read.
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

// What `-resume auto` finds under run.output.
struct NewestRun {
  // The newest run of this name and recipe that holds a checkpoint; where there
  // is none, the newest whose recipe differs in length alone (run.epochs,
  // run.max_steps); else the newest of this recipe, which ended before its
  // first checkpoint.
  std::optional<std::filesystem::path> path;
  // Else the newest of this name, and what is against it.
  std::optional<std::filesystem::path> other;
  std::string reason; // lines, each after a line end
};

// Whether there is something to go on from, intact or not.
bool has_checkpoints(const RunDirectory& run);

NewestRun newest_run(
    const config::Recipe& recipe,
    const std::string& name,
    const config::Origins& origins = {});

// Makes a run folder ready for the steps after `step` with `recipe`:
// config.yaml becomes this recipe, and checkpoints of later steps, which are of
// another branch then, go out of the way. Nothing is lost: what is replaced is
// kept in <run>/replaced-N, which is laid out as a run folder (config.yaml, and
// with checkpoints the records of their steps) and can be resumed like one, if
// a checkpoint in it is intact. Returns what to tell, a sentence each. Throws
// Error(kStorage).
std::vector<std::string> prepare_to_resume(
    const RunDirectory& run,
    const config::Recipe& recipe,
    std::int64_t step);

} // namespace vitrain::job
