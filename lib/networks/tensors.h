#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/families/spec.h"
#include "models/model_counts.h"

namespace vitrain::networks {

// A parameter or buffer of a network.
struct TensorInfo {
  enum class Kind {
    kParameter, // fp32
    kBuffer, // fp32
    kCounter, // int64 scalar buffer
  };

  std::string name; // name in the model's state dict
  std::vector<std::int64_t> shape;
  Kind kind = Kind::kParameter;

  std::int64_t numel() const;
};

// Returns the tensors of make_model(spec), parameters first. Builds the network
// on the meta device: takes milliseconds, no memory and no threads.
std::vector<TensorInfo> tensors_of(const models::ModelSpec& spec);

// Returns the number of values of all parameters, including frozen ones
// (model.freeze).
std::int64_t parameter_count(const models::ModelSpec& spec);

// True if the network has a BatchNorm.
bool has_batch_norm(const models::ModelSpec& spec);

// Returns the counts of the network, which is built on the meta device. Throws
// as cost_of() (cost.h).
models::ModelCounts counts_of(const models::ModelSpec& spec);

} // namespace vitrain::networks
