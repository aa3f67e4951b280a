#include "models/resolve.h"

#include <optional>

#include "config/rules/plan.h"
#include "config/rules/stages.h"
#include "core/check.h"
#include "models/families/family.h"
#include "models/rules.h"

namespace vitrain::models {

ModelSpec resolve(const config::ModelConfig& config, const DataShape& data) {
  std::string wrong;
  for (const config::Finding& finding : check(config, data)) {
    wrong += fmt::format(
        "{}{}: {}", wrong.empty() ? "" : "\n", finding.key, finding.text);
  }
  VITRAIN_CHECK(wrong.empty(), ExitCode::kUsage, "{}", wrong);
  ModelSpec spec = *find_model(config.name);
  spec.num_classes = config.num_classes.value_or(data.outputs);
  spec.features = data.features;
  spec.image_size = data.features > 0
      ? ImageSize()
      : config.image_size.value_or(spec.image_size);
  spec.channels = config.in_chans.value_or(spec.channels);
  spec.drop_path = config.drop_path;
  spec.head_dropout = config.head_dropout;
  if (spec.family->apply != nullptr) {
    spec.family->apply(config, spec);
  }
  return spec;
}

std::int64_t channels_of(const config::ModelConfig& config) {
  const std::optional<ModelSpec> named = find_model(config.name);
  return config.in_chans.value_or(named ? named->channels : 3);
}

ModelSpec in_training(const config::AugmentConfig& augment, ModelSpec spec) {
  spec.image_size = augment.image_size.value_or(spec.image_size);
  return spec;
}

config::Recipe widest_stage(const config::Recipe& recipe) {
  const std::optional<ModelSpec> named = find_model(recipe.model.name);
  const ImageSize evaluated =
      named ? image_size_of(recipe.model, *named) : ImageSize();
  config::Recipe widest;
  std::int64_t area = -1;
  for (const std::int64_t epoch : config::stage_epochs(recipe)) {
    config::Recipe stage = config::recipe_in_epoch(recipe, epoch);
    const std::int64_t found = stage.data.batch_size *
        stage.data.augment.image_size.value_or(evaluated).area();
    // Of stages with equal numbers of pixels takes the later one, whose images
    // are usually larger and need more memory.
    if (found >= area) {
      area = found;
      widest = std::move(stage);
    }
  }
  widest.data.augment.stages.clear();
  widest.data.eval_batch_size = config::eval_batch(recipe.data);
  return widest;
}

bool learns_by_token(
    const config::DistillConfig& distill,
    const ModelSpec& spec) {
  return distill.active() && distill.head != config::DistillHead::kMean &&
      spec.family->two_heads != nullptr && spec.family->two_heads(spec);
}

} // namespace vitrain::models
