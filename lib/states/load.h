#pragma once

#include <string>

#include "states/safetensors.h"
#include "weights/match.h"

namespace torch::nn {
class Module;
} // namespace torch::nn

namespace vitrain::states {

// Copies a file's tensors into the module's parameters and buffers, matched by
// name; `module.` and `_orig_mod.` in front of all names are taken off. Strict:
// missing, unexpected and mis-shaped tensors are an Error(kWeights) that lists
// them all, and nothing is changed then. Exceptions: the classifier (see
// HeadPolicy); `num_batches_tracked`, which may be missing; and a `pos_embed`
// of another grid of patches, which is resampled (bicubic with antialias in
// fp32, the class token's row as it is), as timm does. `source` names the file
// in messages.
weights::LoadReport load_weights(
    torch::nn::Module& module,
    const TensorFile& file,
    const weights::LoadOptions& options,
    const std::string& source);

} // namespace vitrain::states
