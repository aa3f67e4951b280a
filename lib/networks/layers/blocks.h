#pragma once

#include <cstdint>
#include <memory>
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
  // One more branch; returns its row.
  std::int64_t add(double rate);
  // The rate of each row; empty where all are zero.
  std::vector<double> rates() const;

 private:
  std::vector<double> rates_;
};

// The rates 0 to `last` of `count` blocks, in equal steps; 0 for a single one.
std::vector<double> rising_rates(double last, std::int64_t count);

// x + f branch, where f are the factors [N] in the given row of `drop`, one per
// image; x + branch where `drop` is undefined. x, branch: [N, ...]. `branch`
// may be overwritten.
at::Tensor add_branch(
    const at::Tensor& x,
    at::Tensor branch,
    const at::Tensor& drop,
    std::int64_t row);

// Images to a token for each square of pixels: "proj".
class PatchEmbed : public torch::nn::Module {
 public:
  PatchEmbed(
      std::int64_t channels,
      std::int64_t patch,
      std::int64_t width,
      at::Generator generator,
      bool with_bias = true);

  // [N, C, H, W] -> [N, H / patch * W / patch, D]. A convolution whose patches
  // do not overlap is one matrix product over the patches.
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

} // namespace vitrain::networks
