#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/transformers/vit.h"
#include "networks/layers/layers.h"
#include "networks/transformers/vit_norm.h"

namespace vitrain::networks {

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

// Attention between the layer that makes queries, keys and values and the one
// that takes what they see. Queries and keys may have a norm for each head
// (Dehghani et al., "Scaling vision transformers to 22 billion parameters",
// ICML 2023), and heads may see the difference of what two halves of them see
// (Ye et al., "Differential transformer", ICLR 2025).
class VitHeads {
 public:
  // Registers what it learns in `module`, under timm's names. `number`: of the
  // block, on which a difference's start depends.
  VitHeads(
      torch::nn::Module& module,
      const models::VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator);

  // Queries [N, Q, D] of keys and values [N, T, D]: [N * Q, D].
  at::Tensor operator()(
      const at::Tensor& query,
      const at::Tensor& key,
      const at::Tensor& value,
      const VitDrops& drops) const;

 private:
  void add_difference(
      torch::nn::Module& module,
      std::int64_t number,
      std::int64_t width,
      const at::Generator& generator);

  // Of heads [N, heads, Q, d], [N, heads, T, d] and [N, values' heads, T, d']:
  // [N, values' heads, Q, d'].
  at::Tensor difference(
      const at::Tensor& query,
      const at::Tensor& key,
      const at::Tensor& value,
      const VitDrops& drops) const;

  // What the second half is subtracted times: a scalar.
  at::Tensor share() const;

  std::int64_t heads_;
  std::shared_ptr<VitNorm> q_norm_; // or null, as k_norm_
  std::shared_ptr<VitNorm> k_norm_;
  // Of a difference; else null and undefined.
  std::shared_ptr<VitNorm> sub_norm_;
  double first_share_ = 0.0;
  at::Tensor lambda_q1_; // [d], as the three others
  at::Tensor lambda_k1_;
  at::Tensor lambda_q2_;
  at::Tensor lambda_k2_;
};

} // namespace vitrain::networks
