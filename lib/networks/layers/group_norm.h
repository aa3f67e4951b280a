#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"

namespace vitrain::networks {

// Normalises groups of channels of one image, as torch.nn.GroupNorm.
class GroupNorm : public torch::nn::Module {
 public:
  GroupNorm(std::int64_t channels, std::int64_t groups);

  // [N, C, H, W] -> [N, C, H, W]
  at::Tensor operator()(const at::Tensor& x) const;

  at::Tensor weight; // [channels]
  at::Tensor bias; // [channels]

 private:
  std::int64_t groups_;
};

// BatchNorm or GroupNorm of images [N, C, H, W].
class BatchOrGroupNorm {
 public:
  // Registers the norm in `owner` as `name`. `groups`: of GroupNorm; 0:
  // BatchNorm.
  BatchOrGroupNorm(
      torch::nn::Module& owner,
      const std::string& name,
      std::int64_t channels,
      std::int64_t groups);

  // Returns norm(x).
  at::Tensor operator()(const at::Tensor& x) const;
  // Returns relu(norm(x) + residual); an undefined residual is left out.
  Fork relu(const at::Tensor& x, const at::Tensor& residual = {}) const;

  const at::Tensor& weight() const;

 private:
  std::shared_ptr<BatchNorm2d> batch_; // null: group_
  std::shared_ptr<GroupNorm> group_;
};

} // namespace vitrain::networks
