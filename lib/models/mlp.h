#pragma once

#include <cstdint>
#include <memory>

#include "models/model.h"

namespace vitrain::models {

// Linear layers with a ReLU between them, on vectors or on the numbers of an
// image: "hidden.0" and so on, then "fc". Started as torch.nn.Linear, in this
// order. Requires a resolved spec of the family kMlp.
std::shared_ptr<Model> make_mlp(const ModelSpec& spec, std::uint64_t seed);

} // namespace vitrain::models
