#pragma once

#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/jit/api/module.h>

namespace torch::jit {
struct Value;
} // namespace torch::jit

namespace vitrain::exports {

// Replaces weights and biases of convolutions that a graph computes only from
// the module's attributes, as MobileOne merges its branches, by constants.
// Returns these constants and names for them: PREFIX.reparam_conv.weight or
// .bias (timm's names), where PREFIX is the path of the innermost module that
// contains all attributes used; repeated names get _2, _3, ... Nodes that
// become unused remain in the graph.
std::vector<std::pair<torch::jit::Value*, std::string>>
fold_convolution_weights(
    torch::jit::Graph& graph,
    const torch::jit::Module& module);

} // namespace vitrain::exports
