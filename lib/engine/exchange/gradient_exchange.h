#pragma once

#include <memory>
#include <vector>

#include "dist/sync/averaging.h"
#include "dist/sync/gradient_sync.h"
#include "engine/run/session.h"
#include "optim/optimizer.h"
#include "optim/weights/flat_state.h"
#include "optim/weights/prune.h"

namespace vitrain::engine {

// The gradients of `parameters` as what travels between workers.
std::vector<dist::GradientBuffer> gradient_buffers(
    const optim::FlatState& parameters);
// All that updates change, and the gradients.
dist::ReplicaBuffers replica_buffers(
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer);

// The optimizer of the recipe, for gradients as they come out of its exchange.
// `parameters` must outlive it.
std::unique_ptr<optim::Optimizer> make_optimizer(
    const config::Recipe& recipe,
    optim::FlatState& parameters);

// Returns the synchronisation of dist.sync over the buffers of `parameters` and
// `optimizer`, which must outlive it, and of the pruner (or null). Collective.
std::unique_ptr<dist::GradientSync> make_gradient_sync(
    Session& session,
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer,
    const optim::Pruner* pruner = nullptr);

} // namespace vitrain::engine
