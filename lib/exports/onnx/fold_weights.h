#pragma once

#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/jit/api/module.h>

namespace torch::jit {
struct Value;
} // namespace torch::jit

namespace vitrain::exports {

// Computes the weights and biases of convolutions that a graph computes from
// the module's attributes alone, as MobileOne joins its branches, and puts
// constants in their places. Returns these constants with names for them:
// PREFIX.reparam_conv.weight or .bias (timm's names), where PREFIX leads to all
// attributes that were used. Steps that nothing uses then stay in the graph.
std::vector<std::pair<torch::jit::Value*, std::string>>
fold_convolution_weights(
    torch::jit::Graph& graph,
    const torch::jit::Module& module);

} // namespace vitrain::exports
