#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/sections/preprocess.h"
#include "options/image_size.h"

// Values that timm takes from its models.
namespace vitrain::config::foreign {

// Values of a timm model that timm's train.py leaves to the model's class.
struct TimmDefaults {
  double drop_path = 0.0; // default of the model's class
  // Classes of the weights; 0: the model has no classifier.
  std::int64_t outputs = 1000;
};

// Returns the values of a model, by its name ("resnet50") or with the name of
// its weights ("resnet50.a1_in1k"); TimmDefaults{} for unknown names.
TimmDefaults timm_defaults(std::string_view name);

// timm's default preprocessing for one of its models.
struct TimmPreprocess {
  PreprocessConfig config; // its crop_pct is not set
  double crop_pct = 0.875; // may be above 1
  std::optional<ImageSize> image_size; // nullopt: the model's name contains it
};

// Returns the preprocessing of a model, by its name without a tag of weights;
// nullopt for names that are not models of both vitrain and timm.
std::optional<TimmPreprocess> timm_preprocess(const std::string& model);

} // namespace vitrain::config::foreign
