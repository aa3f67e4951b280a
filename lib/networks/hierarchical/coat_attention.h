#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "models/spec.h"
#include "networks/layers/layers.h"

// The attention of CoaT (Xu et al., "Co-scale conv-attentional image
// transformers", ICCV 2021) and what tells it of positions. Tokens travel as
// [N, 1 + H W, C], the class token first.
namespace vitrain::networks {

// The tokens without the first, as an image [N, H, W, C].
at::Tensor image_of(const at::Tensor& tokens, const ImageSize& grid);

// The first token of `tokens` before those of an image [N, H, W, C].
at::Tensor with_class(const at::Tensor& tokens, const at::Tensor& image);

// Adds to each token of an image what a convolution of 3 x 3 makes of those
// around it.
class CoatPosition : public torch::nn::Module {
 public:
  CoatPosition(std::int64_t width, const at::Generator& generator);

  // [N, 1 + H W, C], to itself.
  at::Tensor operator()(const at::Tensor& tokens, const ImageSize& grid) const;

 private:
  std::shared_ptr<Conv2d> proj_;
};

// The values around each pixel, weighted by where they are: heads have windows
// of 3, 5 or 7 pixels.
class CoatRelativePosition : public torch::nn::Module {
 public:
  CoatRelativePosition(std::int64_t width, const at::Generator& generator);

  // [N, H, W, C], to itself.
  at::Tensor operator()(const at::Tensor& values) const;

 private:
  std::vector<std::int64_t> widths_;
  std::vector<std::shared_ptr<Conv2d>> convs_;
};

// What the blocks of a scale have in common.
struct CoatScale {
  std::int64_t width = 0;
  std::int64_t mlp_ratio = 0;
  ImageSize grid;
  std::shared_ptr<CoatPosition> position;
  std::shared_ptr<CoatRelativePosition> relative;
};

// Attention whose cost is linear in the number of tokens, q (softmax(k)^T v) /
// sqrt(d), and to it q times what `relative` sees of v (section 3 of the
// paper).
class FactorAttention : public torch::nn::Module {
 public:
  FactorAttention(const CoatScale& scale, const at::Generator& generator);

  // [N, 1 + H W, C], to itself.
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  ImageSize grid_;
  std::shared_ptr<CoatRelativePosition> relative_; // the scale's
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

} // namespace vitrain::networks
