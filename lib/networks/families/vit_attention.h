#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/vit.h"
#include "networks/layers/layers.h"

namespace vitrain::networks {

// Value of `keep` for returning every token.
inline constexpr std::int64_t kAllTokens = 0;

// Registers a norm of the spec's type over the last dimension, as `name`.
std::shared_ptr<LayerNorm> add_vit_norm(
    torch::nn::Module& module,
    const char* name,
    const models::VitSpec& spec,
    std::int64_t width);

// Dropout and stochastic depth of one forward pass.
struct VitDrops {
  Dropout activations;
  Dropout attention; // dropout of the softmax weights
  at::Tensor path_factors; // [branches, N], or undefined: no path is dropped
};

// Multi-head attention between the input and output projections. Queries and
// keys may be normalised per head (Dehghani et al., "Scaling vision
// transformers to 22 billion parameters", ICML 2023). A differential head
// subtracts a second attention map (Ye et al., "Differential transformer", ICLR
// 2025, sections 2.1 and 3.1; here blocks are numbered from 0).
class VitHeads {
 public:
  // Registers the learned tensors in `module` under timm's names. `number`, the
  // block's index from 0, determines the initial weight of a differential
  // head's second map.
  VitHeads(
      torch::nn::Module& module,
      const models::VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator);

  // Attention of queries [N, Q, D] to keys and values [N, T, D]: [N * Q, D].
  at::Tensor operator()(
      const at::Tensor& query,
      const at::Tensor& key,
      const at::Tensor& value,
      const VitDrops& drops) const;

 private:
  void add_differential(
      torch::nn::Module& module,
      std::int64_t number,
      std::int64_t width,
      const at::Generator& generator);

  // Differential attention: query [N, 2 heads, Q, d], key [N, 2 heads, T, d],
  // value [N, heads, T, 2 d] -> [N, heads, Q, 2 d].
  at::Tensor differential(
      const at::Tensor& query,
      const at::Tensor& key,
      const at::Tensor& value,
      const Dropout& dropout) const;

  // Weight of the subtracted attention map (scalar).
  at::Tensor lambda() const;

  std::int64_t heads_;
  std::shared_ptr<LayerNorm> q_norm_; // null without qk_norm, like k_norm_
  std::shared_ptr<LayerNorm> k_norm_;
  // Differential heads only; otherwise null and undefined.
  std::shared_ptr<LayerNorm> sub_norm_;
  double initial_lambda_ = 0.0;
  at::Tensor lambda_q1_; // [d], like the other three
  at::Tensor lambda_k1_;
  at::Tensor lambda_q2_;
  at::Tensor lambda_k2_;
};

// Self-attention: the qkv projection, VitHeads, the output projection.
class VitAttention : public torch::nn::Module {
 public:
  VitAttention(
      const models::VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator);

  // x [N * T, D] -> [N * keep, D]: returns the first `keep` tokens of each
  // image, or all of them for kAllTokens. `images`: N. Queries are computed for
  // these tokens only.
  at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops,
      std::int64_t keep) const;

 private:
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
  VitHeads heads_;
};

} // namespace vitrain::networks
