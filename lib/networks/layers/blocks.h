#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"

// Blocks, above single layers, that several families share.
namespace vitrain::networks {

// Stochastic depth (Huang et al., ECCV 2016): residual branches that a training
// step can skip for single images. Each branch has a rate, and a row of the
// factors `drop` of Model::forward.
class DropPaths {
 public:
  // Adds the branches of one block, which share a rate. Returns the first
  // branch's row.
  std::int64_t add(double rate, std::int64_t branches = 1);
  // Adds the blocks of stages of these depths, with rates that rise from 0 to
  // `last`. Returns each block's first row, by stage.
  std::vector<std::vector<std::int64_t>> add_stages(
      std::span<const std::int64_t> depths,
      double last,
      std::int64_t branches = 1);
  // Returns the rate of each row; empty if all are zero.
  std::vector<double> rates() const;

 private:
  std::vector<double> rates_;
};

// Returns `count` rates from 0 to `last` in equal steps; 0 for a single one.
std::vector<double> rising_rates(double last, std::int64_t count);
// Returns one rate per block of stages of these depths.
std::vector<double> rising_rates(
    double last,
    std::span<const std::int64_t> depths);

// Returns x + f * branch, where f is the given row of `drop`, one factor per
// image; x + branch if `drop` is undefined. x, branch: [N, ...]. `branch` may
// be overwritten.
at::Tensor add_branch(
    const at::Tensor& x,
    at::Tensor branch,
    const at::Tensor& drop,
    std::int64_t row);

// A convolution without bias whose padding keeps the size at stride 1.
Conv2d::Shape padded_shape(
    std::int64_t in,
    std::int64_t out,
    std::int64_t kernel = 1,
    std::int64_t stride = 1,
    std::int64_t groups = 1);
// A convolution over non-overlapping square patches, with a bias.
Conv2d::Shape
patch_shape(std::int64_t in, std::int64_t out, std::int64_t patch);
// A depthwise convolution that keeps the size.
Conv2d::Shape depthwise_shape(std::int64_t width, std::int64_t kernel);

// Patch embedding: one token per square patch of pixels, by the layer "proj".
class PatchEmbed : public torch::nn::Module {
 public:
  PatchEmbed(
      std::int64_t channels,
      std::int64_t patch,
      std::int64_t width,
      at::Generator generator,
      bool with_bias = true);

  // [N, C, H, W] -> [N, H / patch * W / patch, D], rounded down: rows and
  // columns beyond the last whole patch are ignored. The convolution is one
  // matrix product, because patches do not overlap.
  at::Tensor forward(const at::Tensor& images) const;

  const Conv2d& proj() const { return *proj_; }

 private:
  std::shared_ptr<Conv2d> proj_;
};

enum class Activation {
  kGelu,
  kGeluTanh,
  kQuickGelu,
  kRelu,
  kSilu,
  kHardSwish
};

at::Tensor activate(const at::Tensor& x, Activation activation);

// fc2(activation(fc1(x))) over the last dimension. A gated one computes
// fc2(activation(a) * b), where a and b are the halves of fc1(x) (Shazeer, "GLU
// variants improve transformer", 2020).
class Mlp : public torch::nn::Module {
 public:
  // `hidden`: outputs of fc1.
  Mlp(std::int64_t width,
      std::int64_t hidden,
      at::Generator generator,
      Activation activation = Activation::kGelu,
      bool gated = false);

  // Returns a tensor of x's shape; `dropout` applies after both layers.
  at::Tensor operator()(const at::Tensor& x, const Dropout& dropout = {}) const;

  // Initialises b of a gated one near 1 (weights normal with `std`, bias 1), so
  // that it passes activation(a) on; does nothing otherwise.
  void init_gate(double std, const at::Generator& generator);

 private:
  bool gated_;
  Activation activation_;
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Linear> fc2_;
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

  // Returns a tensor of x's shape [N, H, W, C], not always dense.
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  double eps_;
  at::Tensor weight_; // [C]
  at::Tensor bias_; // [C], or undefined
};

// Initialises the linear layers within `module` in their order of registration,
// as timm does: weights by truncated_normal(), biases zero.
void init_linear_layers(
    const torch::nn::Module& module,
    double std,
    const at::Generator& generator);

// Also initialises the convolutions in that way and lays them out for
// channels_last.
void init_channels_last_layers(
    const torch::nn::Module& module,
    double std,
    const at::Generator& generator);

} // namespace vitrain::networks
