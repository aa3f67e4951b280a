#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "core/check.h"
#include "core/system/missing_path.h"
#include "core/text.h"
#include "job/find_weights.h"
#include "job/preprocess_record.h"
#include "job/run/enclosing_run.h"
#include "job/run/resume_advice.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

namespace fs = std::filesystem;

// Returns the config.yaml of the run that is at `path` or contains it; nullopt
// if there is none.
std::optional<std::string> find_recipe(const std::string& path) {
  std::error_code error;
  job::RunDirectory run{path};
  if (!fs::is_regular_file(run.config(), error)) {
    run = job::enclosing_run(path).value_or(job::RunDirectory{});
  }
  if (run.path.empty() || !fs::is_regular_file(run.config(), error)) {
    return std::nullopt;
  }
  return run.config().native();
}

std::string recipe_of_resumed(const std::string& path) {
  std::error_code error;
  VITRAIN_CHECK(
      fs::exists(path, error),
      ExitCode::kWeights,
      "-resume {}: no such file or folder{}",
      printable(path),
      describe_missing_part(path));
  VITRAIN_CHECK(
      !job::is_no_run(path),
      ExitCode::kUsage,
      "-resume {}: {}. A new run needs a recipe: give -cfg FILE",
      printable(path),
      job::describe_no_run(path));
  const std::optional<std::string> recipe = find_recipe(path);
  VITRAIN_CHECK(
      recipe.has_value(),
      ExitCode::kUsage,
      "-resume {}: is of no run folder with a config.yaml, which would be the "
      "recipe: give -cfg FILE",
      printable(path));
  return *recipe;
}

// Returns true if the weights, their name or a config.json next to them say
// which network they are of.
bool name_network(const std::string& weights) {
  config::ModelConfig model;
  model.pretrained = weights;
  const auto record = job::pretrained_record(model);
  return record && !record->architecture.empty();
}

// Returns the recipe of the run that produced the weights; nullopt if options
// alone are the recipe. Without such a run and without -set model.name, throws
// Error if the weights do not exist or do not name their network.
std::optional<std::string> recipe_of_weights(
    const config::Arguments& arguments,
    const std::string& weights) {
  std::optional<std::string> recipe = find_recipe(weights);
  const bool named =
      std::ranges::count(
          arguments.overrides, "model.name", &config::Override::key) > 0;
  // Missing weights are reported later, together with the data.
  if (recipe || named) {
    return recipe;
  }
  const std::string path = job::resolve_weights(weights);
  try {
    job::check_exists(path);
  } catch (const Error& error) {
    fail(error.code(), "-pretrained {}", error.what());
  }
  VITRAIN_CHECK(
      name_network(path),
      ExitCode::kUsage,
      "-pretrained {}: is of no run folder with a config.yaml, which would be "
      "the recipe: give -cfg FILE, or -set model.name=NAME (`vitrain models` "
      "lists them) and the data (-data_path FOLDER)",
      printable(weights));
  return recipe;
}

} // namespace

config::Arguments with_run_recipe(config::Arguments arguments) {
  std::error_code error;
  if (arguments.cfg) {
    const job::RunDirectory run{*arguments.cfg};
    if (fs::is_directory(run.path, error) && fs::exists(run.config(), error)) {
      arguments.cfg = run.config().native();
    }
    return arguments;
  }
  if (arguments.verb == config::Verb::kTrain && arguments.resume) {
    arguments.cfg = recipe_of_resumed(*arguments.resume);
  }
  if (arguments.verb == config::Verb::kEval) {
    const auto weights = std::ranges::find(
        arguments.overrides, "model.pretrained", &config::Override::key);
    if (weights != arguments.overrides.end()) {
      arguments.cfg = recipe_of_weights(arguments, weights->value);
    }
  }
  return arguments;
}

} // namespace vitrain::verbs
