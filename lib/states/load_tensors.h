#pragma once

#include <string>

#include "weights/archive.h"
#include "weights/match.h"

namespace torch::nn {
class Module;
} // namespace torch::nn

namespace vitrain::states {

// Reads a file's tensors into the module's parameters and buffers, matched by
// name (weights/names/timm_names.h makes them timm's). Strict: missing,
// unexpected and mis-shaped tensors are an Error(kWeights) that lists them all,
// and nothing is changed then. Exceptions: the classifier (see HeadPolicy);
// `num_batches_tracked`, which may be missing; positions of another grid
// (weights/position_grid.h), which are resampled in fp32; and the first
// convolution of a network for grey images, which is that of colours summed.
// `source` names the file in messages.
weights::LoadReport load_weights(
    torch::nn::Module& module,
    const weights::Archive& archive,
    const weights::LoadOptions& options,
    const std::string& source);

} // namespace vitrain::states
