#pragma once

#include <memory>

#include "dist/gradient_sync.h"
#include "engine/session.h"
#include "optim/flat_state.h"

namespace vitrain::engine {

// The exchange of gradients that dist.sync asks for, over the buffers of
// `parameters`, which must outlive it.
std::unique_ptr<dist::GradientSync> make_gradient_sync(
    Session& session,
    const optim::FlatState& parameters);

} // namespace vitrain::engine
