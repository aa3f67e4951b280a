#pragma once

#include <memory>
#include <vector>

#include "dist/sync/averaging.h"
#include "dist/sync/gradient_sync.h"
#include "engine/device/session.h"
#include "engine/step/batch_norm.h"
#include "optim/flat_state.h"
#include "optim/optimizer.h"
#include "optim/prune.h"

namespace vitrain::config {
struct Recipe;
} // namespace vitrain::config

namespace vitrain::engine {

// Returns the gradient buffer of each group of `parameters`, with a slot for
// each parameter.
std::vector<dist::GradientBuffer> gradient_buffers(
    const optim::FlatState& parameters);
// Returns all tensors that an update changes, and the gradients.
dist::ReplicaBuffers replica_buffers(
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer);

// Returns the optimizer of the recipe. It expects gradients as the recipe's
// exchange provides them: with dist.topk.momentum_correction they already
// contain momentum. `parameters` must outlive it.
std::unique_ptr<optim::Optimizer> make_recipe_optimizer(
    const config::Recipe& recipe,
    optim::FlatState& parameters);

// Returns the synchronisation that dist.sync and dist.zero1 select, over the
// buffers of `parameters` and `optimizer`, which must outlive it. With hogwild,
// moves the parameters into memory that all ranks share. `pruner`: marks pruned
// weights, whose gradients top-k never sends; null: none; must outlive the
// result. `batch_norm`: layers whose statistics run.determinism: elastic adds
// with the gradients; null: none. Collective.
std::unique_ptr<dist::GradientSync> make_gradient_sync(
    Session& session,
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer,
    const optim::Pruner* pruner = nullptr,
    const BatchNormExchange* batch_norm = nullptr);

} // namespace vitrain::engine
