#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weights/safetensors.h"

namespace torch::nn {
class Module;
} // namespace torch::nn

namespace vitrain::weights {

// What to do with the classifier's weights.
enum class HeadPolicy {
  kAuto, // load them when their shapes agree, else keep the model's own
  kLoad, // load them; another shape is an error
  kFresh, // keep the model's own
};

struct LoadOptions {
  HeadPolicy head = HeadPolicy::kAuto;
  // Starts of the names of the classifier's tensors, as in timm.
  std::vector<std::string> head_prefixes{"head.", "fc."};
};

// What load_weights did, for the log.
struct LoadReport {
  std::int64_t loaded = 0; // tensors copied
  std::vector<std::string> fresh; // left as they were: the classifier
  std::vector<std::string> resized; // "pos_embed: 14x14 -> 24x24"
  std::vector<std::string> converted; // "head.weight: bf16 -> fp32"
  std::vector<std::string> non_finite; // loaded, with NaN or Inf in them

  // One line per event, for people; empty when every tensor was copied as is.
  std::vector<std::string> lines() const;
};

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
