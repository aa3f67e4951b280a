#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"

// Building blocks, composed of several layers, that several families share.
namespace vitrain::networks {

// Stochastic depth (Huang et al., ECCV 2016): residual branches that a training
// step can skip for single images. Each branch has a drop rate and a row in the
// factors `drop` of Model::forward.
class DropPaths {
 public:
  // Adds the residual branches of one block, all with this drop rate. Returns
  // the first branch's row.
  std::int64_t add(double rate, std::int64_t branches = 1);
  // Adds the blocks of stages with these depths; drop rates rise linearly from
  // 0 to `last` over all blocks. Returns the first row of each block, by stage.
  std::vector<std::vector<std::int64_t>> add_stages(
      std::span<const std::int64_t> depths,
      double last,
      std::int64_t branches = 1);
  // Returns the rate of each row; empty if all are zero.
  std::vector<double> rates() const;

 private:
  std::vector<double> rates_;
};

// Returns `count` rates from 0 to `last` in equal steps; {0} for a count of 1.
std::vector<double> rising_rates(double last, std::int64_t count);
// Returns rising_rates() of all blocks of stages with these depths.
std::vector<double> rising_rates(
    double last,
    std::span<const std::int64_t> depths);

// Returns x + f * scale * branch. f is row `row` of `drop` (one factor per
// image), or 1 if `drop` is undefined. `scale` [C] is a LayerScale (Touvron et
// al., "Going deeper with image transformers", ICCV 2021), or undefined: 1.
// x, branch: [N, ..., C]. May overwrite `branch`.
at::Tensor add_branch(
    const at::Tensor& x,
    at::Tensor branch,
    const at::Tensor& drop,
    std::int64_t row,
    const at::Tensor& scale = {});

// Shape of a convolution without bias, padded by kernel / 2, so that an odd
// kernel with stride 1 keeps the image size.
Conv2d::Shape padded_shape(
    std::int64_t in,
    std::int64_t out,
    std::int64_t kernel = 1,
    std::int64_t stride = 1,
    std::int64_t groups = 1);
// Shape of a convolution over non-overlapping square patches, with a bias.
Conv2d::Shape
patch_shape(std::int64_t in, std::int64_t out, std::int64_t patch);
// Shape of a depthwise convolution with a bias and padded_shape()'s padding.
Conv2d::Shape depthwise_shape(std::int64_t width, std::int64_t kernel);

// Patch embedding: the convolution "proj" makes one token of each square patch
// of pixels.
class PatchEmbed : public torch::nn::Module {
 public:
  PatchEmbed(
      std::int64_t channels,
      std::int64_t patch,
      std::int64_t width,
      at::Generator generator,
      bool with_bias = true);

  // [N, C, H, W] -> [N, (H / patch) * (W / patch), D], quotients rounded down:
  // rows and columns beyond the last whole patch are ignored. The convolution
  // is computed as one matrix product, because patches do not overlap.
  at::Tensor forward(const at::Tensor& images) const;

  const Conv2d& proj() const { return *proj_; }

 private:
  std::shared_ptr<Conv2d> proj_;
};

enum class Activation {
  kGelu,
  kGeluTanh, // GELU approximated by tanh
  kQuickGelu, // x * sigmoid(1.702 x)
  kRelu,
  kSilu,
  kHardSwish
};

at::Tensor activate(const at::Tensor& x, Activation activation);

// fc2(activation(fc1(x))) over the last dimension. If `gated`,
// fc2(activation(a) * b), where a and b are the halves of fc1(x) (Shazeer, "GLU
// variants improve transformer", 2020).
class Mlp : public torch::nn::Module {
 public:
  // `hidden`: number of outputs of fc1.
  Mlp(std::int64_t width,
      std::int64_t hidden,
      at::Generator generator,
      Activation activation = Activation::kGelu,
      bool gated = false);

  // Returns a tensor of x's shape. `dropout` is applied after the activation
  // and after fc2.
  at::Tensor operator()(const at::Tensor& x, const Dropout& dropout = {}) const;

  // If gated, initialises the half of fc1 that computes b so that b is near 1
  // and activation(a) passes unchanged: weights normal with standard deviation
  // `std`, bias 1. Otherwise does nothing.
  void init_gate(double std, const at::Generator& generator);

 private:
  bool gated_;
  Activation activation_;
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Linear> fc2_;
};

// Class attention: the first token attends to all tokens (Touvron et al.,
// "Going deeper with image transformers", ICCV 2021, section 3).
class ClassAttention : public torch::nn::Module {
 public:
  ClassAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator);

  // [N, T, C] -> [N, 1, C]
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  std::int64_t heads_;
  std::shared_ptr<Linear> q_;
  std::shared_ptr<Linear> k_;
  std::shared_ptr<Linear> v_;
  std::shared_ptr<Linear> proj_;
};

// Transformer block with LayerScale: x + gamma_1 * attn(norm1(x)), then
// x + gamma_2 * mlp(norm2(x)). Names are timm's of CaiT and BEiT. Attention has
// a constructor (width, heads, generator, more...).
template <typename Attention>
class ScaledBlock : public torch::nn::Module {
 public:
  static constexpr int kBranches = 2; // residual branches that can be dropped

  // `row`: first of the block's two rows of drop factors.
  template <typename Spec, typename... More>
  ScaledBlock(
      const Spec& net,
      std::int64_t row,
      const at::Generator& generator,
      const More&... more)
      : row_(row) {
    const std::int64_t width = net.embed_dim;
    gamma_1_ =
        add_constant(*this, "gamma_1", {width}, net.layer_scale, generator);
    gamma_2_ =
        add_constant(*this, "gamma_2", {width}, net.layer_scale, generator);
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kNormEps);
    attn_ = add_layer<Attention>(
        *this, "attn", width, net.heads, generator, more...);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kNormEps);
    mlp_ = add_layer<Mlp>(*this, "mlp", width, 4 * width, generator);
  }

  // x [N, T, C] attends to `seen` [N, S, C]. Returns [N, T, C]. The attention
  // is also given `more`.
  template <typename... More>
  at::Tensor forward(
      const at::Tensor& x,
      const at::Tensor& seen,
      const at::Tensor& drop,
      const More&... more) const {
    const at::Tensor y =
        add_branch(x, (*attn_)((*norm1_)(seen), more...), drop, row_, gamma_1_);
    return add_branch(y, (*mlp_)((*norm2_)(y)), drop, row_ + 1, gamma_2_);
  }

 private:
  static constexpr double kNormEps = 1e-6;

  std::int64_t row_;
  at::Tensor gamma_1_; // [C], as gamma_2_
  at::Tensor gamma_2_;
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<Attention> attn_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Mlp> mlp_;
};

// A convolution "proj" followed by a LayerNorm "norm" over its channels.
class ConvEmbed : public torch::nn::Module {
 public:
  ConvEmbed(
      const Conv2d::Shape& shape,
      double norm_eps,
      const at::Generator& generator);

  // [N, H, W, in] -> [N, H', W', out]
  at::Tensor operator()(const at::Tensor& x) const;

  Conv2d& proj() const { return *proj_; }

 private:
  std::shared_ptr<Conv2d> proj_;
  std::shared_ptr<LayerNorm> norm_;
};

// Normalises over all values of an image (a GroupNorm of one group), then
// scales and shifts each channel.
class ImageNorm : public torch::nn::Module {
 public:
  ImageNorm(
      std::int64_t channels,
      double eps,
      const at::Generator& generator,
      bool with_bias = true);

  // Returns a tensor of x's shape [N, H, W, C], not necessarily contiguous.
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  double eps_;
  at::Tensor weight_; // [C]
  at::Tensor bias_; // [C], or undefined
};

// Initialises the linear layers within `module` in their order of registration,
// as timm does: weights by truncated_normal() with standard deviation `std`,
// biases zero.
void init_linear_layers(
    const torch::nn::Module& module,
    double std,
    const at::Generator& generator);

// Initialises linear layers and convolutions as init_linear_layers() does, and
// changes the memory layout of the convolutions' weights to channels_last.
void init_channels_last_layers(
    const torch::nn::Module& module,
    double std,
    const at::Generator& generator);

} // namespace vitrain::networks
