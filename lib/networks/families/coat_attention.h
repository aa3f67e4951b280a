#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/families/spec.h"
#include "networks/layers/layers.h"

// Attention and position encodings of CoaT (Xu et al., "Co-scale
// conv-attentional image transformers", ICCV 2021). Tokens are [N, 1 + H W, C],
// the class token first.
namespace vitrain::networks {

// Returns the tokens except the first as an image [N, H, W, C].
at::Tensor image_of(const at::Tensor& tokens, const ImageSize& grid);

// Concatenates the first token of `tokens` and the pixels of an image [N, H, W,
// C]: [N, 1 + H W, C].
at::Tensor with_class(const at::Tensor& tokens, const at::Tensor& image);

// Convolutional position encoding: adds to the image tokens their 3 x 3
// depthwise convolution.
class CoatPosition : public torch::nn::Module {
 public:
  CoatPosition(std::int64_t width, const at::Generator& generator);

  // [N, 1 + H W, C] -> [N, 1 + H W, C]
  at::Tensor operator()(const at::Tensor& tokens, const ImageSize& grid) const;

 private:
  std::shared_ptr<Conv2d> proj_;
};

// Convolutional relative position encoding: depthwise convolutions of the
// values, with windows of 3, 5 or 7 pixels for different heads.
class CoatRelativePosition : public torch::nn::Module {
 public:
  CoatRelativePosition(std::int64_t width, const at::Generator& generator);

  // [N, H, W, C] -> [N, H, W, C]
  at::Tensor operator()(const at::Tensor& values) const;

 private:
  std::vector<std::int64_t> widths_;
  std::vector<std::shared_ptr<Conv2d>> convs_;
};

// Layers and sizes that the blocks of one scale share.
struct CoatScale {
  std::int64_t width = 0;
  std::int64_t mlp_ratio = 0;
  ImageSize grid;
  std::shared_ptr<CoatPosition> position;
  std::shared_ptr<CoatRelativePosition> relative;
};

// Factorised attention, linear in the number of tokens: q (softmax(k)^T v) /
// sqrt(d) + q * relative(v) (section 3 of the paper).
class FactorAttention : public torch::nn::Module {
 public:
  FactorAttention(const CoatScale& scale, const at::Generator& generator);

  // [N, 1 + H W, C] -> [N, 1 + H W, C]
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  ImageSize grid_;
  // Shared by the blocks of the scale.
  std::shared_ptr<CoatRelativePosition> relative_;
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

} // namespace vitrain::networks
