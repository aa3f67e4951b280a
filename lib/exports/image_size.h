#pragma once

#include <memory>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "models/families/spec.h"

namespace torch::jit {
struct Graph;
} // namespace torch::jit

namespace vitrain::exports {

// Returns `spec` with two other image sizes, whose sides are not multiples of
// strides. Nodes and constants that are equal for all three sizes do not depend
// on the size.
std::vector<models::ModelSpec> other_image_sizes(const models::ModelSpec& spec);

// Removes height and width from the types in a recorded graph, if its
// recordings with other_image_sizes() have the same nodes and constants.
// Returns false, and changes nothing, if they differ.
bool free_image_size(
    torch::jit::Graph& graph,
    const std::vector<std::shared_ptr<torch::jit::Graph>>& others);

// True if a recorded module accepts images of any height and width.
bool takes_any_image_size(const torch::jit::Module& module);

} // namespace vitrain::exports
