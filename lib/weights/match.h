#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "options/resampling.h"
#include "weights/archive.h"
#include "weights/dtype.h"
#include "weights/position_grid.h"

// Matching of a file's tensors to a model's.
namespace vitrain::weights {

// Type and shape of a tensor.
struct TensorLayout {
  std::vector<std::int64_t> shape;
  const DType* type = find_dtype("F32"); // never null
};
using Layouts = std::map<std::string, TensorLayout>; // by name
Layouts layouts_of(const Archive& archive);

// Treatment of the classifier's weights in the file.
enum class HeadPolicy {
  // Load them if the file has all, in the model's shapes; otherwise keep the
  // model's.
  kAuto,
  kLoad, // load them; missing ones and other shapes are errors
  kFresh, // keep the model's
};

struct LoadOptions {
  HeadPolicy head = HeadPolicy::kAuto;
  // Name prefixes of the classifier's tensors (models::Family::classifier).
  std::vector<std::string> head_prefixes{"head."};
  Resampling resampling = Resampling::kTimm;
  // Returns the model's grid for the position tensor of this name; nullopt: the
  // grid is square.
  std::function<std::optional<ImageSize>(const std::string&)> grid =
      [](const std::string&) { return std::nullopt; };
  // Returns the file's grid if its image size is known; nullopt: the grid is
  // square.
  std::function<std::optional<ImageSize>(const std::string&)> file_grid =
      [](const std::string&) { return std::nullopt; };
};

// Result of load_weights, for the log.
struct LoadReport {
  std::int64_t loaded = 0; // number of copied tensors
  // Tensors that keep the model's values: the classifier, and the last norm if
  // it is at another position in the file.
  std::vector<std::string> fresh;
  // Tensors of the file that are ignored deliberately, except its classifier's:
  // layers used only to train a masked autoencoder; batch counters that are not
  // integers; and, unless the classifier is loaded (then they are errors), a
  // norm at another position than the model's and a SigLIP's attention pooling.
  std::vector<std::string> left_out;
  std::vector<std::string> resized; // "pos_embed: 14x14 -> 24x24"
  // Convolutions for colours, summed for grey images.
  std::vector<std::string> grey;
  // Convolutions for colours, repeated for other numbers of channels.
  std::vector<std::string> repeated;
  std::vector<std::string> converted; // "head.weight: BF16 -> F32"
  std::vector<std::string> non_finite; // loaded tensors that contain NaN or Inf

  // Returns a message per non-empty list above, with its first four items;
  // empty if all lists are empty.
  std::vector<std::string> lines() const;
};

struct Match {
  LoadReport report; // complete except for non_finite
  // Pairs of the model's and the file's name.
  std::vector<std::pair<std::string, std::string>> copies;
  // Tensors to resample, by the model's names.
  std::map<std::string, Positions> resamplings;
  // Convolutions for colours to adapt to other numbers of channels
  // (states/input_channels.h), by the model's names.
  std::set<std::string> adapted;
};

// True if shapes are equal except for trailing dimensions of 1: a linear layer
// [out, in] and a 1 x 1 convolution [out, in, 1, 1]. A scalar equals only a
// scalar.
bool same_values(
    const std::vector<std::int64_t>& a,
    const std::vector<std::int64_t>& b);

// Matches a file's tensors `given` to a model's tensors `own`, for
// load_weights() (states/load_tensors.h). Throws Error(kWeights) "<source>:
// ..." if tensors are missing, unexpected, or of an unsuitable shape or type.
Match match_weights(
    const Layouts& own,
    const Layouts& given,
    const LoadOptions& options,
    const std::string& source);

} // namespace vitrain::weights
