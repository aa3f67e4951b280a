#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/vit.h"
#include "networks/families/vit_attention.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"

// Blocks of vision transformers, also used by other families. Tokens are passed
// between blocks as [N * T, D], where row n * T is the first token of image n,
// so that every linear layer is one matrix product without reshaping.
namespace vitrain::networks {

// Standard deviation of initial linear weights and position embeddings.
inline constexpr double kVitInitStd = 0.02;

// Returns the spec of a plain ViT block, for use in a network of another
// family.
inline models::VitSpec
vit_block_spec(std::int64_t width, std::int64_t heads, std::int64_t mlp_ratio) {
  return {.embed_dim = width, .num_heads = heads, .mlp_dim = mlp_ratio * width};
}

// LayerScale (Touvron et al., "Going deeper with image transformers", ICCV
// 2021): a learned factor per channel of a residual branch.
class LayerScale : public torch::nn::Module {
 public:
  LayerScale(const models::VitSpec& spec, const at::Generator& generator);

  at::Tensor gamma; // [D]
};

// A block of a vision transformer.
class TokenBlock : public torch::nn::Module {
 public:
  // x [N * T, D] -> [N * keep, D]: returns the first `keep` tokens of each
  // image, or all of them for kAllTokens. `images`: N. A network that reads
  // only the class token (and the distillation token) calls its last block with
  // keep = 1 (2).
  virtual at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops,
      std::int64_t keep) const = 0;
};

// x + attn(norm(x)), then x + mlp(norm(x)) (Dosovitskiy et al., ICLR 2021).
class VitBlock : public TokenBlock {
 public:
  // `number`: the block's index in the network, from 0. Its two branches use
  // consecutive rows of the drop factors, from 2 * number on.
  VitBlock(
      const models::VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator);

  at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops,
      std::int64_t keep) const override;

 private:
  std::int64_t number_;
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<VitAttention> attn_;
  std::shared_ptr<LayerScale> ls1_; // null without LayerScale, like ls2_
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Mlp> mlp_;
  std::shared_ptr<LayerScale> ls2_;
};

} // namespace vitrain::networks
