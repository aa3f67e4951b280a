#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>

// The layers that the families share: parameters under torch's names, started
// as torch starts them but from a given generator (init.h: without one they
// have no values), and a call of the operator.
namespace vitrain::networks {

// softmax(q k^T / sqrt(d)) v for q [N, heads, Q, d] and k, v [N, heads, T, d]:
// torch's fused kernel, except for bf16 on a CPU (docs/decisions/007).
at::Tensor attention(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value);

// Each value of x zero with probability `rate`, else times 1 / (1 - rate);
// which ones, `masks` says. x itself at rate 0 or without generator.
at::Tensor dropout(const at::Tensor& x, double rate, at::Generator masks);

// attention() whose softmax weights go through dropout(): by plain products, as
// a fused kernel would draw from the process's own generator.
at::Tensor attention_with_dropout(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    double rate,
    at::Generator masks);

// [N, T, heads * d], or [N, heads * d] of one token each, to [N, heads, T, d],
// without a copy.
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads);

// The parts of x [N, T, parts * heads * d], each as split_heads() gives it:
// queries, keys and values that one layer has made.
std::vector<at::Tensor>
split_parts(const at::Tensor& x, std::int64_t parts, std::int64_t heads);

// A new layer that is part of `module` under this name.
template <typename Layer, typename... Args>
std::shared_ptr<Layer>
add_layer(torch::nn::Module& module, const std::string& name, Args&&... args) {
  return module.register_module(
      name, std::make_shared<Layer>(std::forward<Args>(args)...));
}

// A new layer at the end of `list`.
template <typename Layer, typename... Args>
std::shared_ptr<Layer> append_layer(
    torch::nn::ModuleListImpl& list,
    Args&&... args) {
  auto layer = std::make_shared<Layer>(std::forward<Args>(args)...);
  list.push_back(layer);
  return layer;
}

// A new parameter of `module` under this name that has one value everywhere.
at::Tensor add_constant(
    torch::nn::Module& module,
    const std::string& name,
    at::IntArrayRef sizes,
    double value,
    const at::Generator& generator);

class Linear : public torch::nn::Module {
 public:
  Linear(
      std::int64_t in,
      std::int64_t out,
      at::Generator generator,
      bool with_bias = true);

  // [..., in] -> [..., out]
  at::Tensor operator()(const at::Tensor& x) const;
  // Over the tokens: [N, in, D] -> [N, out, D], without transposing x.
  at::Tensor over_tokens(const at::Tensor& x) const;

  at::Tensor weight; // [out, in]
  at::Tensor bias; // [out], or undefined
};

// Over the last dimension.
class LayerNorm : public torch::nn::Module {
 public:
  LayerNorm(std::int64_t width, double eps);

  at::Tensor operator()(const at::Tensor& x) const;

  at::Tensor weight; // [width]
  at::Tensor bias; // [width]

 private:
  double eps_;
};

// With a square kernel.
class Conv2d : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    bool bias = false;
    std::int64_t groups = 1;

    Shape with_bias() const {
      Shape shape = *this;
      shape.bias = true;
      return shape;
    }
  };

  Conv2d(const Shape& shape, at::Generator generator);

  // [N, in, H, W] -> [N, out, H', W']
  at::Tensor operator()(const at::Tensor& x) const;
  // With a kernel of 1: over the last dimension, [..., in] -> [..., out].
  at::Tensor pointwise(const at::Tensor& x) const;
  // [N, H, W, in] -> [N, H', W', out], dense both.
  at::Tensor over_pixels(const at::Tensor& x) const;
  // Lays the weights out for images in channels_last. The values stay.
  void use_channels_last();
  std::int64_t groups() const { return groups_; }

  at::Tensor weight; // [out, in / groups, kernel, kernel]
  at::Tensor bias; // [out], or undefined

 private:
  at::Tensor over_meta(const at::Tensor& x) const;
  std::int64_t stride_over(std::int64_t side) const;

  std::int64_t stride_;
  std::int64_t padding_;
  std::int64_t groups_;
};

// Starts a convolution: normal with variance 2 / (outputs of a group x kernel
// area), and a bias of zero.
void normal_by_group_fan_out(Conv2d& conv, const at::Generator& generator);

// Over [N, H, W], as torch.nn.BatchNorm2d: eps 1e-5 and running statistics with
// momentum 0.1 unless others are given, batch statistics in training mode.
class BatchNorm2d : public torch::nn::Module {
 public:
  static constexpr double kMomentum = 0.1;
  static constexpr double kEps = 1e-5;

  // Normalises x by statistics that it takes, and updates the running ones.
  using TrainingForm =
      std::function<at::Tensor(BatchNorm2d& norm, const at::Tensor& x)>;

  explicit BatchNorm2d(
      std::int64_t channels,
      double eps = kEps,
      double momentum = kMomentum);

  at::Tensor operator()(const at::Tensor& x);

  double eps() const { return eps_; }
  double momentum() const { return momentum_; }

  // What training mode does from now on instead of taking the statistics of x
  // alone.
  void set_training_form(TrainingForm form) { form_ = std::move(form); }
  bool has_training_form() const { return static_cast<bool>(form_); }

  at::Tensor weight; // [channels]
  at::Tensor bias; // [channels]
  at::Tensor running_mean; // [channels], buffer
  at::Tensor running_var; // [channels], buffer
  at::Tensor num_batches_tracked; // scalar int64, buffer

 private:
  double eps_;
  double momentum_;
  TrainingForm form_;
};

} // namespace vitrain::networks
