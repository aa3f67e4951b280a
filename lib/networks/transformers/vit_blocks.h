#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/transformers/vit.h"
#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"

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

// What the blocks of one forward pass drop.
struct VitDrops {
  double rate = 0.0; // of activations
  double attention_rate = 0.0;
  at::Generator masks; // undefined: nothing
  at::Tensor factors; // [branches, N], or undefined

  // Factors of the images' branches of this number: [N], or undefined.
  at::Tensor of_branch(std::int64_t number) const {
    return factors.defined() ? factors.select(0, number) : factors;
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return dropout(x, rate, masks);
  }
};

class VitAttention : public torch::nn::Module {
 public:
  VitAttention(const models::VitSpec& spec, at::Generator generator);

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
  // [N, Q, D] and twice [N, T, D] to [N * Q, D].
  at::Tensor attend(
      const at::Tensor& query,
      const at::Tensor& key,
      const at::Tensor& value,
      const VitDrops& drops) const;

  std::int64_t heads_;
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

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

class VitBlock : public torch::nn::Module {
 public:
  VitBlock(
      const models::VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator);

  // x: [N * T, D], to itself.
  at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops) const;

  // As forward, but of the first `count` tokens only: [N * T, D] to
  // [N * count, D].
  at::Tensor forward_first(
      const at::Tensor& x,
      std::int64_t images,
      std::int64_t count,
      const VitDrops& drops) const;

 private:
  std::shared_ptr<VitScale> add_scale(
      const char* name,
      const models::VitSpec& spec,
      const at::Generator& generator);

  // The branch of attention, and after it that of the MLP.
  at::Tensor add_branches(
      const at::Tensor& x,
      at::Tensor attention,
      const VitDrops& drops) const;

  std::int64_t number_; // of the block
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<VitAttention> attn_;
  std::shared_ptr<VitScale> scale1_; // or null, as scale2_
  std::shared_ptr<LayerNorm> norm2_;
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
