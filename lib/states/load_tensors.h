#pragma once

#include <string>

#include "weights/archive.h"
#include "weights/match.h"

namespace torch::nn {
class Module;
} // namespace torch::nn

namespace vitrain::states {

// Loads a file's tensors into the module's parameters and buffers of the same
// names (weights/names/timm_names.h converts names to timm's). Strict: throws
// Error(kWeights) with all missing, unexpected and wrongly shaped tensors, and
// leaves the module unchanged. Exceptions: the classifier (see HeadPolicy);
// `num_batches_tracked`, which may be missing; positions of another grid
// (weights/position_grid.h), which are resampled in fp32; and the first
// convolution, which is adapted to other numbers of channels. `source` names
// the file in messages.
weights::LoadReport load_weights(
    torch::nn::Module& module,
    const weights::Archive& archive,
    const weights::LoadOptions& options,
    const std::string& source);

} // namespace vitrain::states
