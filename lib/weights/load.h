#pragma once

#include <string>

#include "weights/match.h"
#include "weights/safetensors.h"

namespace torch::nn {
class Module;
} // namespace torch::nn

namespace vitrain::weights {

// Copies a file's tensors into the module's parameters and buffers, matched by
// name; `module.` and `_orig_mod.` in front of all names are taken off. Strict:
// missing, unexpected and mis-shaped tensors are an Error(kWeights) that lists
// them all, and nothing is changed then. Exceptions: the classifier (see
// HeadPolicy); `num_batches_tracked`, which may be missing; and a `pos_embed`
// of another grid of patches, which is resampled (bicubic with antialias in
// fp32, the class token's row as it is), as timm does. `source` names the file
// in messages.
LoadReport load_weights(
    torch::nn::Module& module,
    const TensorFile& file,
    const LoadOptions& options,
    const std::string& source);

} // namespace vitrain::weights
