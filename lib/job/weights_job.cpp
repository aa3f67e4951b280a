#include "job/weights_job.h"

#include <filesystem>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "data/kinds/datasets.h"
#include "job/data_options.h"
#include "job/find_weights.h"
#include "job/preprocess_record.h"
#include "job/recipe_check.h"
#include "job/run/run_directory.h"
#include "models/resolve.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

// Returns the config.yaml of the run that wrote these weights; "" if they
// belong to no run.
fs::path recipe_of(const std::string& weights) {
  const fs::path config = RunDirectory{run_of_weights(weights)}.config();
  std::error_code error;
  return fs::is_regular_file(config, error) ? config : fs::path();
}

config::PartialRecipe read(
    const config::LoadRequest& request,
    const char* use) {
  config::PartialRecipe loaded = load_recipe(request);
  VITRAIN_CHECK(
      loaded.recipe.model.pretrained.has_value(),
      ExitCode::kUsage,
      "-pretrained: give the weights {}: a run, a checkpoint or a file",
      use);
  loaded.recipe.model.pretrained =
      resolve_weights(*loaded.recipe.model.pretrained);
  check_exists(loaded.recipe.model.pretrained);
  return loaded;
}

bool says_model(const config::PartialRecipe& loaded) {
  const auto origin = loaded.origins.find("model.name");
  return origin != loaded.origins.end() &&
      origin->second.origin != config::Origin::kDefault;
}

// Reads the recipe named on the command line, or else that of the weights' run,
// if there is one, whose path it assigns to recipe_file.
config::PartialRecipe read_recipe(
    config::LoadRequest request,
    const char* use,
    std::string& recipe_file) {
  config::PartialRecipe loaded = read(request, use);
  if (request.file) {
    return loaded;
  }
  const std::string weights = *loaded.recipe.model.pretrained;
  const fs::path config = recipe_of(weights);
  if (!config.empty()) {
    request.file = config;
    loaded = read(request, use);
    recipe_file = printable(config.native());
  }
  return loaded;
}

// Returns the shape of the data, which it lists only for vectors. Throws
// Error(kUsage) if the number of classes is unknown.
models::DataShape shape_for(
    const config::Recipe& recipe,
    const std::vector<std::string>& classes) {
  if (recipe.data.eval.kind == SourceKind::kVectors) {
    return data_shape(
        data::list(source_options(recipe.data.eval, /*train=*/false)));
  }
  const std::int64_t outputs =
      recipe.model.num_classes.value_or(std::ssize(classes));
  VITRAIN_CHECK(
      outputs > 0,
      ExitCode::kUsage,
      "model.num_classes: {} does not say how many classes it has: give -set "
      "model.num_classes=N",
      printable(*recipe.model.pretrained));
  return {.outputs = outputs};
}

} // namespace

WeightsJob prepare_weights(
    const config::LoadRequest& request,
    const char* use) {
  WeightsJob job;
  config::PartialRecipe loaded = read_recipe(request, use, job.recipe_file);
  job.recipe = std::move(loaded.recipe);
  job.notes = std::move(loaded.notes);
  const auto record = use_record(
      /*evaluates=*/true, job.recipe, loaded.origins, job.notes);
  VITRAIN_CHECK(
      request.file || says_model(loaded),
      ExitCode::kUsage,
      "{}: is of no run whose config.yaml says which network it is, and no "
      "config.json of timm beside it names one: give -cfg FILE, or -set "
      "model.name=NAME (`vitrain models` lists them)",
      printable(*job.recipe.model.pretrained));
  const models::DataShape shape = shape_for(
      job.recipe, record ? record->classes : std::vector<std::string>());
  check_network(job.recipe, loaded.origins, shape);
  job.spec = models::resolve(job.recipe.model, shape);
  if (record && std::ssize(record->classes) == job.spec.num_classes) {
    job.classes = record->classes;
  }
  job.labels = record ? record->labels : data::LabelForm::kNone;
  job.multi_label =
      (record && record->multi_label) || job.recipe.data.eval.multi_label;
  return job;
}

} // namespace vitrain::job
