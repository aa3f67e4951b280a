#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/byob.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/layers/squeeze_excite.h"

// Blocks of networks that are described by a list of blocks
// (models/families/byob.h). Images are [N, C, H, W] in channels_last.
namespace vitrain::networks {

Activation byob_activation(const models::ByobSpec& net);

// Returns activation(norm(x) + residual). Without `activation` (nullopt) or
// `residual` (undefined) the step is left out.
Fork byob_norm(
    BatchNorm2d& norm,
    const at::Tensor& x,
    std::optional<Activation> activation,
    const at::Tensor& residual = {});

// The convolution "conv", the norm "bn" and an optional activation.
class ByobConv : public torch::nn::Module {
 public:
  ByobConv(
      const Conv2d::Shape& shape,
      std::optional<Activation> activation,
      const at::Generator& generator);

  // Returns activation(norm(conv(x)) + residual).
  Fork operator()(const at::Tensor& x, const at::Tensor& residual = {}) const;
  // Returns norm(conv(x)), without the activation.
  at::Tensor normed(const at::Tensor& x) const;

  const Conv2d& conv() const { return *conv_; }
  BatchNorm2d& norm() const { return *norm_; }

 private:
  std::optional<Activation> activation_;
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<BatchNorm2d> norm_;
};

// Properties of a block that depend on its position in the network.
struct ByobPlace {
  std::int64_t in = 0; // input channels
  std::int64_t stride = 1;
  ImageSize size; // size of the block's input
  double drop_rate = 0.0;
};

class ByobBlock : public torch::nn::Module {
 public:
  // `drop`: stochastic depth factors [rows of all blocks, images]; undefined:
  // nothing is dropped.
  virtual Fork forward(const Fork& x, const at::Tensor& drop) = 0;
  // Sets values that differ from the default initialisation of their layer.
  // Called after the layers of the block are initialised.
  virtual void init_weights(const at::Generator& /*generator*/) {}
};

// Returns a new block of the type that `block` selects. Adds its residual
// branches to `paths`.
std::shared_ptr<ByobBlock> make_byob_block(
    const models::ByobSpec& net,
    const models::ByobBlocks& block,
    const ByobPlace& place,
    DropPaths& paths,
    const at::Generator& generator);

// Block types that have their own source file.
std::shared_ptr<ByobBlock> make_mobileone_block(
    const models::ByobSpec& net,
    const models::ByobBlocks& block,
    const ByobPlace& place,
    DropPaths& paths,
    const at::Generator& generator);
std::shared_ptr<ByobBlock> make_mobilevit_block(
    const models::ByobSpec& net,
    const models::ByobBlocks& block,
    const ByobPlace& place,
    DropPaths& paths,
    const at::Generator& generator);

// Registers the channel gate of `block` in `owner` as "attn". If block.gate is
// kNone, registers nothing and returns null.
std::shared_ptr<ChannelGate> add_byob_gate(
    torch::nn::Module& owner,
    const models::ByobSpec& net,
    const models::ByobBlocks& block,
    std::int64_t channels,
    const at::Generator& generator);

} // namespace vitrain::networks
