#pragma once

#include <string>

#include "weights/archive.h"
#include "weights/match.h"

namespace torch::nn {
class Module;
} // namespace torch::nn

namespace vitrain::states {

// Loads a file's tensors into the module's parameters and buffers, matched by
// name (weights/names/timm_names.h converts names to timm's). Strict: missing,
// unexpected and wrongly shaped tensors are an Error(kWeights) that lists them
// all, and the module is unchanged. Exceptions: the classifier (see
// HeadPolicy); `num_batches_tracked`, which may be missing; positions of
// another grid (weights/position_grid.h), which are resampled in fp32; and the
// first convolution, which is adapted to other channel counts. `source` names
// the file in messages.
weights::LoadReport load_weights(
    torch::nn::Module& module,
    const weights::Archive& archive,
    const weights::LoadOptions& options,
    const std::string& source);

} // namespace vitrain::states
