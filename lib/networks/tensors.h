#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/model_counts.h"
#include "models/spec.h"

namespace vitrain::networks {

// A parameter or buffer of a network.
struct TensorInfo {
  enum class Kind {
    kParameter, // fp32
    kBuffer, // fp32
    kCounter, // a buffer of one int64
  };

  std::string name; // as in the model
  std::vector<std::int64_t> shape;
  Kind kind = Kind::kParameter;

  std::int64_t numel() const;
};

// Returns the tensors of make_model(spec), parameters first. The network is
// built on the meta device: milliseconds, no memory, no threads.
std::vector<TensorInfo> tensors_of(const models::ModelSpec& spec);

// Number of trainable values.
std::int64_t parameter_count(const models::ModelSpec& spec);

// True if a layer keeps running statistics.
bool has_batch_norm(const models::ModelSpec& spec);

// Builds the network on the meta device and counts.
models::ModelCounts counts_of(const models::ModelSpec& spec);

} // namespace vitrain::networks
