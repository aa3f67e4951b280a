#pragma once

#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Numbers of a multilayer perceptron; without hidden layers it is linear.
struct MlpSpec {
  std::int64_t hidden = 0; // layers, each followed by a ReLU
  std::int64_t width = 0; // of each
};

// Linear layers with a ReLU between them, on vectors or on the numbers of an
// image: "hidden.0" and so on, then "fc". Started as torch.nn.Linear, in this
// order.
extern const Family kMlp;

} // namespace vitrain::models
