#pragma once

#include <memory>

#include "models/spec.h"
#include "networks/model.h"

namespace vitrain::networks {

// A new model on the CPU, in evaluation mode, whose weights nobody has drawn:
// they may hold anything until they are loaded, all of them.
std::shared_ptr<Model> make_blank_model(const models::ModelSpec& spec);

} // namespace vitrain::networks
