#pragma once

#include <memory>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "models/spec.h"

namespace torch::jit {
struct Graph;
} // namespace torch::jit

namespace vitrain::exports {

// Returns the network with two other image sizes, whose sides are no multiples
// of strides: steps and constants that are equal for all three do not depend on
// the size.
std::vector<models::ModelSpec> other_image_sizes(const models::ModelSpec& spec);

// Takes height and width out of the types of a recorded graph, if its
// recordings with other_image_sizes() have the same steps and constants.
// Returns false, and changes nothing, if they differ.
bool free_image_size(
    torch::jit::Graph& graph,
    const std::vector<std::shared_ptr<torch::jit::Graph>>& others);

// Whether a recorded module takes images of any height and width.
bool takes_any_image_size(const torch::jit::Module& module);

} // namespace vitrain::exports
