#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"

namespace vitrain::networks {

// Class attention: the first token attends to all tokens (Touvron et al.,
// "Going deeper with image transformers", ICCV 2021, section 3).
class ClassAttention : public torch::nn::Module {
 public:
  ClassAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator);

  // [N, T, C] -> [N, 1, C]
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  std::int64_t heads_;
  std::shared_ptr<Linear> q_;
  std::shared_ptr<Linear> k_;
  std::shared_ptr<Linear> v_;
  std::shared_ptr<Linear> proj_;
};

} // namespace vitrain::networks
