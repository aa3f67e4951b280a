#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/transformers/vit.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"
#include "networks/transformers/vit_heads.h"
#include "networks/transformers/vit_norm.h"

// What vision transformers are made of.
// Tokens travel through the blocks as [N * T, D], row n * T being the first
// token of image n: every linear layer is then one matrix product without
// reshaping, whose result nobody else holds.
namespace vitrain::networks {

// How the linear layers of what is not a block start, and class tokens.
inline constexpr double kVitInitStd = 0.02;
inline constexpr double kVitTokenStd = 1e-6;

// The numbers of such blocks in other networks.
inline models::VitSpec
vit_block_spec(std::int64_t width, std::int64_t heads, std::int64_t mlp_ratio) {
  return {.embed_dim = width, .num_heads = heads, .mlp_dim = mlp_ratio * width};
}

class VitAttention : public torch::nn::Module {
 public:
  // `number`: of the block.
  VitAttention(
      const models::VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator);

  // x: [N * T, D], to itself.
  at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops) const;

  // Only what the first `count` tokens see: [N * T, D] to [N * count, D].
  at::Tensor forward_first(
      const at::Tensor& x,
      std::int64_t images,
      std::int64_t count,
      const VitDrops& drops) const;

 private:
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
  VitHeads heads_;
};

// How the MLP of a network is activated; of a gated one its gate.
Activation activation_of(models::VitSpec::Mlp mlp);

class VitMlp : public torch::nn::Module {
 public:
  VitMlp(const models::VitSpec& spec, at::Generator generator);

  at::Tensor forward(const at::Tensor& x, const VitDrops& drops) const;

  // After its layers have started: what is gated is passed on as it is.
  void start(const at::Generator& generator);

 private:
  // Shazeer, "GLU variants improve transformer", 2020.
  at::Tensor hidden(const at::Tensor& x) const;

  bool gated_;
  Activation activation_;
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Linear> fc2_;
};

// What a branch is multiplied by (Touvron et al., "Going deeper with image
// transformers", ICCV 2021).
class VitScale : public torch::nn::Module {
 public:
  VitScale(const models::VitSpec& spec, const at::Generator& generator);

  at::Tensor gamma; // [D]
};

// A new one where the network has them, else null.
std::shared_ptr<VitScale> add_vit_scale(
    torch::nn::Module& module,
    const char* name,
    const models::VitSpec& spec,
    const at::Generator& generator);

// x + scale * branch, with the branch of image n times factors[n] where factors
// are given [N]; x, branch: [N * T, D]. `branch` may be overwritten: it is the
// result of a layer that does not need it in backward.
at::Tensor add_tokens(
    const at::Tensor& x,
    at::Tensor branch,
    const std::shared_ptr<VitScale>& scale,
    const at::Tensor& factors);

// The first `count` tokens of each image: [N * T, D] to [N * count, D].
at::Tensor
first_tokens(const at::Tensor& x, std::int64_t images, std::int64_t count);

// One of the blocks that follow one another.
class TokenBlock : public torch::nn::Module {
 public:
  // x: [N * T, D], to itself.
  virtual at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops) const = 0;

  // As forward, but of the first `count` tokens only: [N * T, D] to
  // [N * count, D].
  virtual at::Tensor forward_first(
      const at::Tensor& x,
      std::int64_t images,
      std::int64_t count,
      const VitDrops& drops) const = 0;
};

// The plain one: attention, then the MLP, each behind a norm.
class VitBlock : public TokenBlock {
 public:
  VitBlock(
      const models::VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator);

  at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops) const override;

  at::Tensor forward_first(
      const at::Tensor& x,
      std::int64_t images,
      std::int64_t count,
      const VitDrops& drops) const override;

 private:
  // The branch of attention, and after it that of the MLP.
  at::Tensor add_branches(
      const at::Tensor& x,
      at::Tensor attention,
      const VitDrops& drops) const;

  std::int64_t number_; // of the block
  std::shared_ptr<VitNorm> norm1_;
  std::shared_ptr<VitAttention> attn_;
  std::shared_ptr<VitScale> scale1_; // or null, as scale2_
  std::shared_ptr<VitNorm> norm2_;
  std::shared_ptr<VitMlp> mlp_;
  std::shared_ptr<VitScale> scale2_;
};

// A learned query that looks at all patches (Zhai et al., "Scaling vision
// transformers", CVPR 2022; timm's AttentionPoolLatent).
class VitPool : public torch::nn::Module {
 public:
  VitPool(const models::VitSpec& spec, const at::Generator& generator);

  // [N, T, D] to [N, D].
  at::Tensor forward(const at::Tensor& x) const;

  // timm draws it again after its layers have started.
  void start(const at::Generator& generator);

 private:
  std::int64_t heads_;
  at::Tensor latent_; // [1, 1, D]
  std::shared_ptr<Linear> q_;
  std::shared_ptr<Linear> kv_;
  std::shared_ptr<Linear> proj_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Mlp> mlp_;
};

} // namespace vitrain::networks
