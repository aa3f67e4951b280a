#pragma once

#include <memory>

#include "models/families/spec.h"
#include "networks/model.h"

namespace vitrain::networks {

// Returns a new model on the CPU, in evaluation mode, with uninitialised
// weights. The caller must load every weight before using the model.
std::shared_ptr<Model> make_uninitialized_model(const models::ModelSpec& spec);

} // namespace vitrain::networks
