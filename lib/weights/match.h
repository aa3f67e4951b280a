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

// Which tensor of a file belongs to which of a model.
namespace vitrain::weights {

// A tensor without its values.
struct TensorLayout {
  std::vector<std::int64_t> shape;
  const DType* type = find_dtype("F32"); // never null
};
using Layouts = std::map<std::string, TensorLayout>; // by name
Layouts layouts_of(const Archive& archive);

// Treatment of the classifier's weights.
enum class HeadPolicy {
  kAuto, // load them when their shapes agree, else keep the model's own
  kLoad, // load them; another shape is an error
  kFresh, // keep the model's own
};

struct LoadOptions {
  HeadPolicy head = HeadPolicy::kAuto;
  // Starts of the names of the classifier's tensors, as in timm.
  std::vector<std::string> head_prefixes{"head."};
  Resampling resampling = Resampling::kTimm;
  // Returns the model's grid of a position tensor; nullopt if it is square.
  std::function<std::optional<ImageSize>(const std::string&)> grid =
      [](const std::string&) { return std::nullopt; };
  // Returns the file's grid, if its image size is known; otherwise grids are
  // square.
  std::function<std::optional<ImageSize>(const std::string&)> file_grid =
      [](const std::string&) { return std::nullopt; };
};

// Result of load_weights, for the log.
struct LoadReport {
  std::int64_t loaded = 0; // tensors copied
  std::vector<std::string> fresh; // left as they were: the classifier
  // Tensors of the file that are not used on purpose: parts for a masked
  // autoencoder's training only, a norm in another place than the model's, a
  // SigLIP's attention pooling if the network uses the mean, and a batch
  // counter that is no integer.
  std::vector<std::string> left_out;
  std::vector<std::string> resized; // "pos_embed: 14x14 -> 24x24"
  std::vector<std::string> grey; // convolutions of colours, summed
  std::vector<std::string>
      repeated; // convolutions repeated for other channel counts
  std::vector<std::string> converted; // "head.weight: bf16 -> fp32"
  std::vector<std::string> non_finite; // loaded, with NaN or Inf in them

  // One line per event, for people; empty when every tensor was copied as is.
  std::vector<std::string> lines() const;
};

struct Match {
  LoadReport report; // of everything but the values
  // Names: the model's, and the file's.
  std::vector<std::pair<std::string, std::string>> copies;
  // Tensors that are resampled, by the model's names.
  std::map<std::string, Positions> resamplings;
  // Convolutions adapted from colours to other channel counts
  // (states/input_channels.h), by the model's names.
  std::set<std::string> adapted;
};

// Whether shapes differ at most in dimensions of 1 at their ends: a linear
// layer [out, in] and a convolution over single pixels [out, in, 1, 1].
bool same_values(
    const std::vector<std::int64_t>& a,
    const std::vector<std::int64_t>& b);

// Matches the tensors of a file to those of a model, for load_weights
// (states/load_tensors.h). Throws as it does.
Match match_weights(
    const Layouts& own,
    const Layouts& given,
    const LoadOptions& options,
    const std::string& source);

} // namespace vitrain::weights
