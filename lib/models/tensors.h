#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/spec.h"

namespace vitrain::models {

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

// The tensors of make_model(spec), which is built for it without memory: in
// milliseconds, and without starting a thread. Parameters first.
std::vector<TensorInfo> tensors_of(const ModelSpec& spec);

// Number of trainable values.
std::int64_t parameter_count(const ModelSpec& spec);

// Whether layers of it keep running statistics.
bool has_batch_norm(const ModelSpec& spec);

} // namespace vitrain::models
