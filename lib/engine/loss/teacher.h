#pragma once

#include <memory>

#include "engine/run/session.h"
#include "networks/model.h"

namespace vitrain::engine {

// The network of train.distill, with its weights, on the device, in evaluation
// mode; null where there is none. Throws Error(kUsage), Error(kWeights).
// Collective.
std::shared_ptr<networks::Model> make_teacher(Session& session);

} // namespace vitrain::engine
