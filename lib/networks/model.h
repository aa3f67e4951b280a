#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/spec.h"

namespace vitrain::networks {

// An image classifier, a regression on vectors, or a network that learns from
// images alone. Parameters and buffers have the names that timm gives them.
class Model : public torch::nn::Module {
 public:
  // Outputs [N, num_classes] of images [N, channels, H, W] or vectors [N, F].
  // `drop`: [drop_rates().size(), N] factors of what is dropped whole, 0 or
  // 1 / (1 - rate) each, or undefined: everything is kept as it is. `dropout`:
  // the generator, of the inputs' device, that dropout's masks are drawn from;
  // undefined: no number is dropped.
  virtual at::Tensor forward(
      const at::Tensor& inputs,
      const at::Tensor& drop,
      const at::Generator& dropout = {}) = 0;

  // Rate of each part that can be dropped sample by sample in training (a
  // residual branch, a channel, a unit), in the order of their rows in `drop`;
  // empty when nothing ever is.
  virtual std::vector<double> drop_rates() const { return {}; }

  // Patches of an image, where the network hides most of them from itself and
  // gives the loss of each sample, [N], instead of outputs (masked
  // autoencoders); 0: another network. `drop` is then [masked_patches(), N]: a
  // number for each patch, of which the smallest are seen; undefined: the first
  // patches are.
  virtual std::int64_t masked_patches() const { return 0; }
};

// Throws Error(kInternal) unless this is a batch of images as `spec` has them,
// or of another size where its family takes any.
void check_images(const at::Tensor& images, const models::ModelSpec& spec);

// Of a network with two heads, the second of which may learn from a teacher:
// the mean of their outputs, [N, C]; in training, where the spec has them
// apart, the one beside the other, [N, 2 C].
at::Tensor of_two_heads(
    const models::ModelSpec& spec,
    bool training,
    const at::Tensor& classes,
    const at::Tensor& distillation);

// Makes the network of `spec`, its weights drawn from `generator`; without one
// they are on the meta device: shapes, and no memory. Its forward pass works
// there too, which counts what it costs (cost.h).
using MakeNetwork =
    std::shared_ptr<Model> (*)(const models::ModelSpec&, const at::Generator&);

// Of networks that are constructed from what MakeNetwork is given.
template <typename Network>
std::shared_ptr<Model> construct(
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  return std::make_shared<Network>(spec, generator);
}

// A new model on the CPU, in training mode. Its weights are a pure function of
// spec and seed: those that timm's constructor draws after torch.manual_seed.
// The default generator is left as it was.
std::shared_ptr<Model> make_model(
    const models::ModelSpec& spec,
    std::uint64_t seed);

} // namespace vitrain::networks
