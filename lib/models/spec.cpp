#include "models/spec.h"

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
  if (spec.family->apply != nullptr) {
    spec.family->apply(config, spec);
  }
  return spec;
}

ModelSpec in_training(const config::AugmentConfig& augment, ModelSpec spec) {
  spec.image_size = augment.image_size.value_or(spec.image_size);
  return spec;
}

} // namespace vitrain::models
