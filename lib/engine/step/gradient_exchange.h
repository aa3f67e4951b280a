#pragma once

#include <memory>
#include <vector>

#include "dist/sync/averaging.h"
#include "dist/sync/gradient_sync.h"
#include "engine/device/session.h"
#include "optim/flat_state.h"
#include "optim/optimizer.h"
#include "optim/prune.h"

namespace vitrain::config {
struct Recipe;
} // namespace vitrain::config

namespace vitrain::engine {

// Returns the gradient buffers of `parameters` with a slot for each parameter.
std::vector<dist::GradientBuffer> gradient_buffers(
    const optim::FlatState& parameters);
// Returns all tensors that an update changes, and the gradients.
dist::ReplicaBuffers replica_buffers(
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer);

// Returns the optimizer of the recipe. It expects gradients as the recipe's
// exchange provides them: with dist.topk.momentum_correction they already
// contain momentum. `parameters` must outlive it.
std::unique_ptr<optim::Optimizer> make_optimizer(
    const config::Recipe& recipe,
    optim::FlatState& parameters);

// Returns the synchronisation that dist.sync selects, over the buffers of
// `parameters` and `optimizer`, which must outlive it. `pruner`: may be null;
// must outlive it too. Collective.
std::unique_ptr<dist::GradientSync> make_gradient_sync(
    Session& session,
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer,
    const optim::Pruner* pruner = nullptr);

} // namespace vitrain::engine
