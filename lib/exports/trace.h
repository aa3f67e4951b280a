#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include "models/spec.h"
#include "networks/model.h"

namespace vitrain::exports {

// The network as a module of TorchScript: parameters and buffers are its
// attributes, under the same names and in the same memory; forward(images) is
// what the network computes in evaluation mode, for any number of images. Its
// graph is flat: operators of aten without in-place ones, and no shape in it
// depends on the batch that it was recorded with. Values have the shapes of
// their dimensions, and none for those that depend on the batch. Where neither
// steps nor constants depend on the size of the images, and with `any_size`,
// they have none for height and width either (image_size.h).
// Leaves the network in evaluation mode. Throws Error(kInternal) for a network
// whose computation depends on the number of images in another way than by
// sizes that are linear in it.
torch::jit::Module trace(
    networks::Model& model,
    const models::ModelSpec& spec,
    bool any_size = true);

// Random inputs of a network, the same for the same number of them.
at::Tensor random_inputs(const models::ModelSpec& spec, std::int64_t count);

// Throws Error(kInternal) unless network and module give the same outputs, but
// for 1e-5 of the largest one, for batches of 1, 2 and 5, and of other image
// sizes where the module takes these. Throws
// Error(kWeights), which names a tensor, where the network's are not finite.
void check_same_outputs(
    networks::Model& model,
    torch::jit::Module module,
    const models::ModelSpec& spec);

} // namespace vitrain::exports
