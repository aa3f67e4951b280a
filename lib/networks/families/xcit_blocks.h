#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/xcit.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"

// Blocks of XCiT (El-Nouby et al., "XCiT: cross-covariance image transformers",
// NeurIPS 2021). Tokens are [N, T, C].
namespace vitrain::networks {

inline constexpr double kXcitNormEps = 1e-6;

// Attention between channels, over all tokens (section 3.2).
class CrossCovarianceAttention : public torch::nn::Module {
 public:
  CrossCovarianceAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator);

  // [N, T, C] -> [N, T, C]
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  std::int64_t heads_;
  at::Tensor temperature_; // [heads, 1, 1]
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

// Local patch interaction: two depthwise convolutions over the grid of tokens
// (section 3.3).
class LocalInteraction : public torch::nn::Module {
 public:
  LocalInteraction(std::int64_t width, const at::Generator& generator);

  // [N, T, C] -> [N, T, C], where T = grid.area().
  at::Tensor forward(const at::Tensor& x, const ImageSize& grid) const;

 private:
  std::shared_ptr<Conv2d> conv1_;
  std::shared_ptr<BatchNorm2d> bn_;
  std::shared_ptr<Conv2d> conv2_;
};

class XcitBlock : public torch::nn::Module {
 public:
  static constexpr int kBranches = 3; // residual branches that can be dropped

  // `row`: first of the block's three rows of drop factors.
  XcitBlock(
      const models::XcitSpec& net,
      std::int64_t row,
      const at::Generator& generator);

  // [N, T, C] -> [N, T, C]
  at::Tensor forward(
      const at::Tensor& x,
      const ImageSize& grid,
      const at::Tensor& drop) const;

 private:
  std::int64_t row_;
  at::Tensor gamma1_; // [C], as gamma2_ and gamma3_
  at::Tensor gamma2_;
  at::Tensor gamma3_;
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<CrossCovarianceAttention> attn_;
  std::shared_ptr<LayerNorm> norm3_;
  std::shared_ptr<LocalInteraction> local_mp_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Mlp> mlp_;
};

// Class attention block: only the class token goes through attention and MLP.
// As in timm, the other tokens x become 2 y (if nothing is dropped), where y =
// x + gamma1 * norm1(x), normalised by norm2 if net.tokens_norm.
class XcitClassBlock : public torch::nn::Module {
 public:
  static constexpr int kBranches = 2; // residual branches that can be dropped

  // `row`: first of the block's two rows of drop factors.
  XcitClassBlock(
      const models::XcitSpec& net,
      std::int64_t row,
      const at::Generator& generator);

  struct Tokens {
    at::Tensor first; // class token: [N, 1, C]
    at::Tensor others; // [N, T, C], or undefined if unused
  };

  // If `last` (the network's last block), `others` of the result is undefined.
  Tokens forward(const Tokens& x, bool last, const at::Tensor& drop) const;

 private:
  at::Tensor pass_on(
      const at::Tensor& x,
      const at::Tensor& normed,
      const at::Tensor& drop) const;

  std::int64_t row_;
  bool tokens_norm_;
  at::Tensor gamma1_; // [C], as gamma2_
  at::Tensor gamma2_;
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<ClassAttention> attn_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Mlp> mlp_;
};

} // namespace vitrain::networks
