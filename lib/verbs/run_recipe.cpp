#include <algorithm>
#include <filesystem>
#include <string_view>

#include "core/check.h"
#include "core/text/text.h"
#include "job/prepare/find_weights.h"
#include "job/run/resume_advice.h"
#include "job/run/run_around.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

namespace fs = std::filesystem;

// The config.yaml of the run that a path is in or of. Throws Error(kUsage).
std::string recipe_of(const std::string& path, const char* option) {
  std::error_code error;
  job::RunDirectory run{path};
  if (!fs::is_regular_file(run.config(), error)) {
    run = job::run_around(path).value_or(job::RunDirectory{});
  }
  VITRAIN_CHECK(
      fs::exists(path, error) || job::resolve_weights(path) != path ||
          path.starts_with("timm:"),
      ExitCode::kWeights,
      "{} {}: no such file or folder",
      option,
      printable(path));
  VITRAIN_CHECK(
      std::string_view(option) != "-resume" || !job::is_no_run(path),
      ExitCode::kUsage,
      "{} {}: {}. A new run needs a recipe: give -cfg FILE",
      option,
      printable(path),
      job::describe_no_run(path));
  VITRAIN_CHECK(
      !run.path.empty() && fs::is_regular_file(run.config(), error),
      ExitCode::kUsage,
      "{} {}: is of no run folder with a config.yaml, which would be the "
      "recipe: give -cfg FILE",
      option,
      printable(path));
  return run.config().native();
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
    arguments.cfg = recipe_of(*arguments.resume, "-resume");
  }
  if (arguments.verb == config::Verb::kEval) {
    const auto weights = std::ranges::find(
        arguments.overrides, "model.pretrained", &config::Override::key);
    if (weights != arguments.overrides.end()) {
      arguments.cfg = recipe_of(weights->value, "-pretrained");
    }
  }
  return arguments;
}

} // namespace vitrain::verbs
