#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/transformers/vit.h"

namespace vitrain::networks {

// Over the last dimension: subtracts the mean and divides by the standard
// deviation, or divides by the root of the mean square alone (Zhang and
// Sennrich, "Root mean square layer normalization", NeurIPS 2019).
class VitNorm : public torch::nn::Module {
 public:
  enum class Kind { kLayer, kRootMeanSquare };

  VitNorm(std::int64_t width, double eps, Kind kind);
  // Of the kind that the network has.
  VitNorm(const models::VitSpec& spec, std::int64_t width);

  // To itself; in bf16 perhaps to fp32, as autocast has it.
  at::Tensor operator()(const at::Tensor& x) const;

  at::Tensor weight; // [width]
  at::Tensor bias; // [width]; of the root of the mean square undefined

 private:
  double eps_;
};

} // namespace vitrain::networks
