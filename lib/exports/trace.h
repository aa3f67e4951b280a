#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include "models/families/spec.h"
#include "networks/model.h"

namespace vitrain::exports {

// Returns the network as a TorchScript module. Its attributes are the network's
// parameters and buffers, with the same names and the same memory;
// forward(images) computes the network in evaluation mode for any number of
// images.
// The graph is flat: aten operators without in-place ones, independent of the
// batch size it was recorded with. The types of values have sizes, except in
// dimensions that depend on the batch. With `any_size`, if neither nodes nor
// constants depend on the image size, they have no sizes for height and width
// either (image_size.h).
// Leaves the network in evaluation mode. Throws Error(kInternal) if the
// computation depends on the number of images by more than sizes that are
// linear in it.
torch::jit::Module trace(
    networks::Model& model,
    const models::ModelSpec& spec,
    bool any_size = true);

// Returns normally distributed fp32 inputs for a network on the CPU, always the
// same for the same `count`.
at::Tensor random_inputs(const models::ModelSpec& spec, std::int64_t count);

// Throws Error(kInternal) unless network and module have the same outputs, to
// 1e-5 of the largest one, for batches of 1, 2 and 5, and for other image sizes
// if the module accepts them. Throws Error(kWeights), naming a tensor, if the
// network's outputs are not finite.
void check_same_outputs(
    networks::Model& model,
    torch::jit::Module module,
    const models::ModelSpec& spec);

} // namespace vitrain::exports
