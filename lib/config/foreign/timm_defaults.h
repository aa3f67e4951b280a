#pragma once

#include <cstdint>
#include <string_view>

namespace vitrain::config::foreign {

// Values of a timm model that timm's train.py leaves to the model's class.
struct TimmDefaults {
  double drop_path = 0.0; // default of the model's class
  // Classes of the weights; 0: the model has no classifier.
  std::int64_t outputs = 1000;
};

// Returns the values of a model, by its name ("resnet50") or with the name of
// its weights ("resnet50.a1_in1k").
TimmDefaults timm_defaults(std::string_view name);

} // namespace vitrain::config::foreign
