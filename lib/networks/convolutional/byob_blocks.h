#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/convolutional/byob.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/layers/squeeze_excite.h"

// What networks are made of that a list of blocks describes (models/families/
// byob.h). Images are [N, C, H, W], in channels_last where they are dense.
namespace vitrain::networks {

Activation byob_activation(const models::ByobSpec& net);

// activation(norm(x) + residual), without what is not given.
Fork byob_norm(
    BatchNorm2d& norm,
    const at::Tensor& x,
    std::optional<Activation> activation,
    const at::Tensor& residual = {});

// A convolution and its norm, "conv" and "bn", and an activation.
class ByobConv : public torch::nn::Module {
 public:
  ByobConv(
      const Conv2d::Shape& shape,
      std::optional<Activation> activation,
      const at::Generator& generator);

  // activation(norm(conv(x)) + residual)
  Fork operator()(const at::Tensor& x, const at::Tensor& residual = {}) const;
  // norm(conv(x))
  at::Tensor normed(const at::Tensor& x) const;

  const Conv2d& conv() const { return *conv_; }
  BatchNorm2d& norm() const { return *norm_; }

 private:
  std::optional<Activation> activation_;
  std::shared_ptr<Conv2d> conv_;
  std::shared_ptr<BatchNorm2d> norm_;
};

// Where a block stands.
struct ByobPlace {
  std::int64_t in = 0;
  std::int64_t stride = 1;
  ImageSize size; // of its input
  double drop_rate = 0.0;
};

class ByobBlock : public torch::nn::Module {
 public:
  // `drop`: as Model::forward has it.
  virtual Fork forward(const Fork& x, const at::Tensor& drop) = 0;
  // What does not start as its layers do.
  virtual void start(const at::Generator& /*generator*/) {}
};

// A block of this kind at this place; what it can drop gets rows of `paths`.
std::shared_ptr<ByobBlock> make_byob_block(
    const models::ByobSpec& net,
    const models::ByobBlocks& block,
    const ByobPlace& place,
    DropPaths& paths,
    const at::Generator& generator);

// Those whose kinds have files of their own.
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

// The gate over so many channels that blocks of this kind have, as "attn" of
// `owner`; null: they have none.
std::shared_ptr<ChannelGate> add_byob_gate(
    torch::nn::Module& owner,
    const models::ByobSpec& net,
    const models::ByobBlocks& block,
    std::int64_t channels,
    const at::Generator& generator);

} // namespace vitrain::networks
