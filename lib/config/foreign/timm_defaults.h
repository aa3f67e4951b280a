#pragma once

#include <cstdint>
#include <string_view>

namespace vitrain::config::foreign {

// Numbers of a model of timm's that train.py leaves to its class.
struct TimmDefaults {
  double drop_path = 0.0; // of its class
  std::int64_t outputs = 1000; // of the weights; 0: it has no classifier
};

// Returns the numbers of a model ("resnet50"), or of a model with the name of
// its weights ("resnet50.a1_in1k").
TimmDefaults timm_defaults(std::string_view name);

} // namespace vitrain::config::foreign
