#pragma once

#include <map>
#include <string>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

namespace vitrain::engine {

// Returns the parameters and buffers of a module by name, detached from
// autograd; they share the module's memory.
std::map<std::string, at::Tensor> named_state(torch::nn::Module& module);

// Copies saved values into the module. Throws Error(kWeights) that names the
// first missing, unknown or wrongly shaped tensor; the module is then
// unchanged.
void load_named_state(
    torch::nn::Module& module,
    const std::map<std::string, at::Tensor>& saved);

} // namespace vitrain::engine
