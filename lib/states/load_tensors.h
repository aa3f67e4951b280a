#pragma once

#include <string>

#include "weights/archive.h"
#include "weights/match.h"

namespace torch::nn {
class Module;
} // namespace torch::nn

namespace vitrain::states {

// Copies a file's tensors, which must have timm's names already, into the
// parameters and buffers of the same names of a module on the CPU. Throws
// Error(kWeights) for missing, unexpected and wrongly shaped tensors, of which
// the message lists the first ten; the module is then unchanged. Exceptions:
// the classifier may keep the module's values (options.head); adapters keep
// theirs; `num_batches_tracked` may be missing; tensors in LoadReport::left_out
// are ignored; positions of another grid are resampled in fp32; convolutions of
// colour images are adapted to other numbers of channels. Also throws
// Error(kWeights) if values cannot be read; earlier tensors have then been
// copied. NaN and Inf are loaded and reported. `source` names the file in
// messages.
weights::LoadReport load_weights(
    torch::nn::Module& module,
    const weights::Archive& archive,
    const weights::LoadOptions& options,
    const std::string& source);

} // namespace vitrain::states
