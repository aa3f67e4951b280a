#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include "networks/transformers/vit_blocks.h"

// Blocks whose parts stand otherwise than in the plain one.
namespace vitrain::networks {

// A block of the kind that the network has.
std::shared_ptr<TokenBlock> make_vit_block(
    const models::VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator);

// Branches of each, that can be dropped one by one.
std::int64_t branches_of(models::VitSpec::Block block);

// Attention and MLP behind each other, each in front of its norm (Liu et al.,
// "Swin Transformer V2", CVPR 2022), which starts with layer_scale as weight.
class PostNormBlock : public TokenBlock {
 public:
  PostNormBlock(
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
  at::Tensor add_branches(
      const at::Tensor& x,
      const at::Tensor& attention,
      const VitDrops& drops) const;

  std::int64_t number_; // of the block
  std::shared_ptr<VitAttention> attn_;
  std::shared_ptr<VitNorm> norm1_;
  std::shared_ptr<VitMlp> mlp_;
  std::shared_ptr<VitNorm> norm2_;
};

// Attention and MLP beside each other behind one norm and one layer (Dehghani
// et al., "Scaling vision transformers to 22 billion parameters", ICML 2023).
// Dropout is of attention's weights and the hidden values alone.
class ParallelBlock : public TokenBlock {
 public:
  ParallelBlock(
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
  // `hidden` [N, T, mlp_dim], before its activation; `seen` [N * T, D].
  at::Tensor add_branch_to(
      const at::Tensor& x,
      const at::Tensor& hidden,
      const at::Tensor& seen,
      const VitDrops& drops) const;

  std::int64_t number_;
  std::int64_t hidden_;
  Activation activation_;
  at::Tensor mlp_bias_; // [mlp_dim]; undefined where in_proj has one
  std::shared_ptr<VitNorm> in_norm_;
  std::shared_ptr<Linear> in_proj_; // to hidden values, queries, keys, values
  std::shared_ptr<Linear> out_proj_; // of both; of a differential one
  std::shared_ptr<Linear> attn_out_proj_; // or one for each
  std::shared_ptr<Linear> mlp_out_proj_;
  VitHeads heads_;
  std::shared_ptr<VitScale> scale_; // or null
};

// Two attentions beside each other, then two MLPs (Touvron et al., "Three
// things everyone should know about vision transformers", ECCV 2022).
class PairedBlock : public TokenBlock {
 public:
  PairedBlock(
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
  static constexpr std::int64_t kPair = 2;
  template <typename Layer>
  struct Branch {
    std::shared_ptr<VitNorm> norm;
    std::shared_ptr<Layer> layer;
    std::shared_ptr<VitScale> scale; // or null
  };

  at::Tensor add_mlps(const at::Tensor& x, const VitDrops& drops) const;
  // Of the attention (0, 1) or MLP (2, 3) of this place.
  at::Tensor factors(std::int64_t place, const VitDrops& drops) const;

  std::int64_t number_;
  std::array<Branch<VitAttention>, kPair> attns_;
  std::array<Branch<VitMlp>, kPair> ffns_;
};

} // namespace vitrain::networks
