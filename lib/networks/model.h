#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/spec.h"

namespace vitrain::networks {

// A network: an image classifier, a regression on vectors, or a masked
// autoencoder. Parameters and buffers have timm's names; if timm has no such
// network, those of its origin (models/families).
class Model : public torch::nn::Module {
 public:
  // Computes outputs [N, num_classes] ([N, 2 num_classes] in training if
  // spec.heads_apart) from images [N, channels, H, W] or vectors [N, F].
  // `drop`: stochastic depth factors [drop_rates().size(), N], each 0 or 1 / (1
  // - rate); undefined: nothing is dropped. `dropout`: generator of the dropout
  // masks, on the inputs' device; undefined: no dropout.
  virtual at::Tensor forward(
      const at::Tensor& inputs,
      const at::Tensor& drop,
      const at::Generator& dropout = {}) = 0;

  // Returns the drop rate of each row of `drop`. A row is a residual branch,
  // channel or unit that training can drop for single samples. Empty if the
  // network has none.
  virtual std::vector<double> drop_rates() const { return {}; }

  // Number of patches per image of a masked autoencoder, whose forward()
  // returns the loss of each sample [N]; 0 for every other network. Its `drop`
  // is [masked_patches(), N]: the patches with the smallest values stay
  // visible; if undefined, the first patches do.
  virtual std::int64_t masked_patches() const { return 0; }
};

// Throws Error(kInternal) unless `images` is a batch with the channels and
// image size of `spec` (any size if the family allows that).
void check_images(const at::Tensor& images, const models::ModelSpec& spec);

// Combines the outputs of a class head and a distillation head. Returns their
// mean [N, C], or, in training if the spec keeps the heads separate, their
// concatenation [N, 2 C].
at::Tensor of_two_heads(
    const models::ModelSpec& spec,
    bool training,
    const at::Tensor& classes,
    const at::Tensor& distillation);

// Builds the network of `spec` with weights sampled from `generator`. If
// `generator` is undefined, the weights are on the meta device (shapes only),
// where the forward pass works too (cost.h).
using MakeNetwork =
    std::shared_ptr<Model> (*)(const models::ModelSpec&, const at::Generator&);

// MakeNetwork for a Model with a (spec, generator) constructor.
template <typename Network>
std::shared_ptr<Model> construct(
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  return std::make_shared<Network>(spec, generator);
}

// Returns a new model on the CPU, in training mode. Its weights depend only on
// `spec` and `seed` and, for timm's networks, equal those of timm's constructor
// after torch.manual_seed(seed). Does not use the default generator.
std::shared_ptr<Model> make_model(
    const models::ModelSpec& spec,
    std::uint64_t seed);

} // namespace vitrain::networks
