#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/spec.h"

namespace vitrain::networks {

// A network: an image classifier, a regression on vectors, or a masked
// autoencoder. Parameters and buffers have timm's names.
class Model : public torch::nn::Module {
 public:
  // Computes outputs [N, num_classes] from images [N, channels, H, W] or
  // vectors [N, F]. `drop`: stochastic depth factors [drop_rates().size(), N],
  // each 0 or 1 / (1 - rate); undefined: nothing is dropped. `dropout`:
  // generator of the dropout masks, of the inputs' device; undefined: no
  // dropout.
  virtual at::Tensor forward(
      const at::Tensor& inputs,
      const at::Tensor& drop,
      const at::Generator& dropout = {}) = 0;

  // Returns the drop rate of each row of `drop`, that is of each part (residual
  // branch, channel, unit) that training can drop for single samples; empty if
  // there is none.
  virtual std::vector<double> drop_rates() const { return {}; }

  // Number of patches of an image for a masked autoencoder, whose forward()
  // returns the loss of each sample [N]; 0 for every other network. Its `drop`
  // is [masked_patches(), N]: the patches with the smallest values stay
  // visible; undefined: the first patches do.
  virtual std::int64_t masked_patches() const { return 0; }
};

// Throws Error(kInternal) unless `images` is a batch of the channels and size
// of `spec`, or of any size if the family allows that.
void check_images(const at::Tensor& images, const models::ModelSpec& spec);

// Combines the outputs of a class head and a distillation head: their mean [N,
// C], or, in training with separate heads in the spec, both next to each other
// [N, 2 C].
at::Tensor of_two_heads(
    const models::ModelSpec& spec,
    bool training,
    const at::Tensor& classes,
    const at::Tensor& distillation);

// Makes the network of `spec` with weights sampled from `generator`. Without a
// generator the weights are on the meta device (shapes only), where the forward
// pass works too, to count its cost (cost.h).
using MakeNetwork =
    std::shared_ptr<Model> (*)(const models::ModelSpec&, const at::Generator&);

// MakeNetwork for a Model with a (spec, generator) constructor.
template <typename Network>
std::shared_ptr<Model> construct(
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  return std::make_shared<Network>(spec, generator);
}

// Returns a new model on the CPU, in training mode. Its weights depend on spec
// and seed alone and equal those of timm's constructor after
// torch.manual_seed(seed). The default generator is not used.
std::shared_ptr<Model> make_model(
    const models::ModelSpec& spec,
    std::uint64_t seed);

} // namespace vitrain::networks
