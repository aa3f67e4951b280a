#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "networks/layers/layers.h"

// What many families are made of, above single layers.
namespace vitrain::networks {

// The branches of a network that a training step can leave out for single
// images ("stochastic depth", Huang et al., ECCV 2016): each has a rate, and a
// row among the factors of a forward pass (Model::forward's `drop`).
class DropPaths {
 public:
  // The branches of one more block, which share a rate; returns the row of the
  // first.
  std::int64_t add(double rate, std::int64_t branches = 1);
  // The same of all blocks of stages of these depths, with rates that rise from
  // 0 to `last`: the blocks' first rows, by stage.
  std::vector<std::vector<std::int64_t>> add_stages(
      std::span<const std::int64_t> depths,
      double last,
      std::int64_t branches = 1);
  // The rate of each row; empty where all are zero.
  std::vector<double> rates() const;

 private:
  std::vector<double> rates_;
};

// The rates 0 to `last` of `count` blocks, in equal steps; 0 for a single one.
std::vector<double> rising_rates(double last, std::int64_t count);
// Of the blocks of stages of these depths.
std::vector<double> rising_rates(
    double last,
    std::span<const std::int64_t> depths);

// x + f branch, where f are the factors [N] in the given row of `drop`, one per
// image; x + branch where `drop` is undefined. x, branch: [N, ...]. `branch`
// may be overwritten.
at::Tensor add_branch(
    const at::Tensor& x,
    at::Tensor branch,
    const at::Tensor& drop,
    std::int64_t row);

// A convolution without bias, with the padding that keeps the size at stride 1.
Conv2d::Shape padded_shape(
    std::int64_t in,
    std::int64_t out,
    std::int64_t kernel = 1,
    std::int64_t stride = 1,
    std::int64_t groups = 1);
// Over squares of pixels side by side, with a bias.
Conv2d::Shape
patch_shape(std::int64_t in, std::int64_t out, std::int64_t patch);
// A convolution of each channel by itself that leaves the size.
Conv2d::Shape depthwise_shape(std::int64_t width, std::int64_t kernel);

// Images to a token for each square of pixels: "proj".
class PatchEmbed : public torch::nn::Module {
 public:
  PatchEmbed(
      std::int64_t channels,
      std::int64_t patch,
      std::int64_t width,
      at::Generator generator,
      bool with_bias = true);

  // [N, C, H, W] -> [N, H / patch * W / patch, D], rounded down: the last rows
  // and columns that are no whole patch are not seen. A convolution whose
  // patches do not overlap is one matrix product over the patches.
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

// fc2(activation(fc1(x))) over the last dimension.
class Mlp : public torch::nn::Module {
 public:
  Mlp(std::int64_t width,
      std::int64_t hidden,
      at::Generator generator,
      Activation activation = Activation::kGelu);

  at::Tensor operator()(const at::Tensor& x) const;

 private:
  Activation activation_;
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Linear> fc2_;
};

// A convolution, "proj", and a norm of each of its pixels, "norm".
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

// Over all numbers of an image together, with a line for each channel.
class ImageNorm : public torch::nn::Module {
 public:
  ImageNorm(
      std::int64_t channels,
      double eps,
      const at::Generator& generator,
      bool with_bias = true);

  // [N, H, W, C], to itself; not always dense.
  at::Tensor operator()(const at::Tensor& x) const;

 private:
  double eps_;
  at::Tensor weight_; // [C]
  at::Tensor bias_; // [C], or undefined
};

// Starts the linear layers within `module` in the order of registration, as
// timm does: weights by truncated_normal(), biases at zero.
void start_linear_layers(
    const torch::nn::Module& module,
    double std,
    const at::Generator& generator);

// The same with its convolutions, which are laid out for channels_last.
void start_channels_last_layers(
    const torch::nn::Module& module,
    double std,
    const at::Generator& generator);

} // namespace vitrain::networks
