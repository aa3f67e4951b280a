#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/spec.h"

namespace vitrain::models {

// An image classifier. Parameters and buffers have the names that timm gives
// them.
class Model : public torch::nn::Module {
 public:
  // Logits [N, classes] of images [N, 3, S, S]. `drop_path`:
  // [drop_path_rates().size(), N] factors of the residual branches, 0 or
  // 1 / (1 - rate) each, or undefined: every branch is kept as it is.
  // `dropout`: the generator, of the images' device, that dropout's masks are
  // drawn from; undefined: nothing is dropped.
  virtual at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop_path,
      const at::Generator& dropout = {}) = 0;

  // Rate of each residual branch that can be dropped, in the order of their
  // rows in `drop_path`; empty when no branch ever is.
  virtual std::vector<double> drop_path_rates() const { return {}; }
};

// A new model on the CPU, in training mode. Its weights are a pure function of
// spec and seed: those that timm's constructor draws after torch.manual_seed.
// The default generator is left as it was.
std::shared_ptr<Model> make_model(const ModelSpec& spec, std::uint64_t seed);

} // namespace vitrain::models
