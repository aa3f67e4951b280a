#pragma once

#include <map>
#include <string>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

namespace vitrain::engine {

// Returns the parameters and buffers of a module by name.
std::map<std::string, at::Tensor> named_state(torch::nn::Module& module);

// Copies saved values into the module. Throws Error(kWeights) that names
// a missing, unknown or wrongly shaped tensor; the module is then unchanged.
void load_named_state(
    torch::nn::Module& module,
    const std::map<std::string, at::Tensor>& saved);

} // namespace vitrain::engine
