#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>

#include "config/sections/lora.h"

// Layers that the families share. Parameters have torch's names and torch's
// initial values, sampled from the given generator; if it is undefined, they
// are on the meta device (init.h), except those of norms.
namespace vitrain::networks {

// Returns softmax(q k^T / sqrt(d)) v for q [N, heads, Q, d] and k, v [N, heads,
// T, d]. Uses torch's fused kernel, except on the meta device and, unless there
// are more than 2^28 softmax weights, for bf16 on a CPU (docs/decisions/007)
// and a single query (Q = 1) on a GPU.
at::Tensor attention(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value);

// Dropout: zeroes each value of x with probability `rate` and multiplies the
// others by 1 / (1 - rate). Returns x itself at rate 0 or without a generator.
struct Dropout {
  double rate = 0.0;
  at::Generator generator; // on x's device; undefined: no dropout

  at::Tensor operator()(const at::Tensor& x) const;
};

// Sets the generator of this thread's dropout masks (dropout_masks()) during
// its lifetime. A network's forward() opens it for layers that have dropout of
// their own (Linear).
class DropoutScope {
 public:
  explicit DropoutScope(at::Generator masks);
  ~DropoutScope();
  DropoutScope(const DropoutScope&) = delete;
  DropoutScope& operator=(const DropoutScope&) = delete;

 private:
  at::Generator outer_;
};

// Returns the generator of this thread's innermost DropoutScope; undefined: no
// dropout.
const at::Generator& dropout_masks();

// Collects, during its lifetime, the inputs of the classifiers of networks that
// run on this thread.
class FeatureScope {
 public:
  FeatureScope();
  ~FeatureScope();
  FeatureScope(const FeatureScope&) = delete;
  FeatureScope& operator=(const FeatureScope&) = delete;

  // Returns and removes the inputs since the last call, in the order of the
  // layers: [N, D] each.
  std::vector<at::Tensor> take();

 private:
  friend class Linear;

  std::vector<at::Tensor> inputs_;
  FeatureScope* outer_;
};

// attention() with dropout of the softmax weights by plain products, because
// the fused kernel samples from the process's default generator. attention()
// itself if `dropout` is off.
at::Tensor attention_with_dropout(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const Dropout& dropout);

// Splits [N, T, heads * d], or one token per image [N, heads * d], into
// [N, heads, T, d] without a copy.
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads);

// Splits the output [N, T, parts * heads * d] of a layer that computes queries,
// keys and values together into `parts` tensors [N, heads, T, d].
std::vector<at::Tensor>
split_parts(const at::Tensor& x, std::int64_t parts, std::int64_t heads);

// Registers a new layer in `module` as `name`.
template <typename Layer, typename... Args>
std::shared_ptr<Layer>
add_layer(torch::nn::Module& module, const std::string& name, Args&&... args) {
  return module.register_module(
      name, std::make_shared<Layer>(std::forward<Args>(args)...));
}

// Appends a new layer to `list`.
template <typename Layer, typename... Args>
std::shared_ptr<Layer> append_layer(
    torch::nn::ModuleListImpl& list,
    Args&&... args) {
  auto layer = std::make_shared<Layer>(std::forward<Args>(args)...);
  list.push_back(layer);
  return layer;
}

// Registers a parameter of shape `sizes` in `module` as `name`, filled with
// `value`. `generator` selects only the device (new_weights()).
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
  // Splits the outputs into parts of these sizes, which add up to `out`, and
  // computes each from an input of its own: [..., in] -> [..., size].
  std::vector<at::Tensor> parts(
      std::initializer_list<at::Tensor> inputs,
      at::IntArrayRef sizes) const;
  // Computes the outputs with another bias.
  at::Tensor with_bias(const at::Tensor& x, const at::Tensor& bias) const;
  // Applies the layer along the token dimension: [N, in, D] -> [N, out, D],
  // without transposing x. The layer must have a bias.
  at::Tensor over_tokens(const at::Tensor& x) const;

  // Makes the layer a classifier, whose inputs a FeatureScope collects, with
  // this dropout rate of the inputs.
  void make_classifier(double dropout) {
    classifies_ = true;
    input_dropout_ = dropout;
  }
  double input_dropout() const { return input_dropout_; }
  // Adds a low-rank adapter with the names of peft's tensors, `lora_A` and
  // `lora_B`, and peft's initial values: the layer computes the same as before.
  // The buffer `lora_alpha` lets weights be merged without the recipe.
  void add_adapter(
      const config::LoraConfig& lora,
      const at::Generator& generator);
  bool has_adapter() const { return lora_a_ != nullptr; }

  at::Tensor weight; // [out, in]
  at::Tensor bias; // [out], or undefined

 private:
  // Adds the adapter's outputs for x, of the rows `up` of lora_B, to y.
  at::Tensor adapted(at::Tensor y, const at::Tensor& x, const at::Tensor& up)
      const;

  bool classifies_ = false;
  double input_dropout_ = 0.0;
  double lora_dropout_ = 0.0;
  double lora_scale_ = 0.0; // alpha / rank
  std::shared_ptr<Linear> lora_a_; // in -> rank; null without an adapter
  std::shared_ptr<Linear> lora_b_; // rank -> out
};

enum class NormKind {
  kLayer, // subtract the mean, divide by the standard deviation
  kRms, // divide by the root mean square (Zhang and Sennrich, NeurIPS 2019)
};

// Normalises over the last dimension.
class LayerNorm : public torch::nn::Module {
 public:
  LayerNorm(std::int64_t width, double eps, NormKind kind = NormKind::kLayer);

  // Returns a tensor of x's shape. Under autocast to bf16 it may be fp32.
  at::Tensor operator()(const at::Tensor& x) const;

  at::Tensor weight; // [width]
  at::Tensor bias; // [width]; undefined for kRms

 private:
  double eps_;
};

// 2-d convolution.
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
    std::int64_t kernel_width = 0; // 0: kernel, with `padding` on all sides
    std::int64_t padding_width = 0;
    std::int64_t dilation = 1; // distance between the kernel's pixels

    Shape with_bias() const {
      Shape shape = *this;
      shape.bias = true;
      return shape;
    }
  };

  Conv2d(const Shape& shape, at::Generator generator);

  // [N, in, H, W] -> [N, out, H', W'], by `weight` or a kernel of its shape.
  at::Tensor operator()(const at::Tensor& x) const;
  at::Tensor with_kernel(const at::Tensor& x, const at::Tensor& kernel) const;
  // Applies a 1 x 1 convolution without groups, ignoring its stride, to
  // channels-last data: [..., in] -> [..., out].
  at::Tensor pointwise(const at::Tensor& x) const;
  // [N, H, W, in] -> [N, H', W', out]; the output is contiguous, and x must be.
  at::Tensor over_pixels(const at::Tensor& x) const;
  // Changes the memory layout of the weights to channels_last.
  void use_channels_last();
  std::int64_t groups() const { return groups_; }

  at::Tensor weight; // [out, in / groups, kernel, kernel_width]
  at::Tensor bias; // [out], or undefined

 private:
  at::Tensor over_meta(const at::Tensor& x) const;
  // Dimensions: 2 height, 3 width.
  std::int64_t stride_over(const at::Tensor& x, std::int64_t dimension) const;
  // Number of positions of the kernel, less one, at stride 1.
  std::int64_t way(const at::Tensor& x, std::int64_t dimension) const;

  std::int64_t stride_;
  std::array<std::int64_t, 2> padding_; // height, width
  std::int64_t dilation_;
  std::int64_t groups_;
};

// Initialises a convolution: weights normal with variance 2 / (outputs per
// group * kernel area), bias zero.
void normal_by_group_fan_out(Conv2d& conv, const at::Generator& generator);

// Normalises each channel over [N, H, W], as torch.nn.BatchNorm2d: by batch
// statistics in training mode, by running statistics otherwise.
class BatchNorm2d : public torch::nn::Module {
 public:
  // Weight of the batch statistics in the running ones.
  static constexpr double kMomentum = 0.1;
  static constexpr double kEps = 1e-5;

  // Replacement for the forward pass in training mode: returns x normalised by
  // statistics it computes itself, and updates the running ones.
  using TrainingForm =
      std::function<at::Tensor(BatchNorm2d& norm, const at::Tensor& x)>;

  explicit BatchNorm2d(
      std::int64_t channels,
      double eps = kEps,
      double momentum = kMomentum);

  at::Tensor operator()(const at::Tensor& x);

  double eps() const { return eps_; }
  double momentum() const { return momentum_; }

  // Sets the replacement. Without one (the default), training mode uses the
  // statistics of x alone.
  void set_training_form(TrainingForm form) { form_ = std::move(form); }
  bool has_training_form() const { return static_cast<bool>(form_); }

  // Sets the layer to evaluation mode and keeps it there, even when its network
  // is set to training mode.
  void freeze();
  bool is_frozen() const { return frozen_; }
  void train(bool on = true) override;

  at::Tensor weight; // [channels]
  at::Tensor bias; // [channels]
  at::Tensor running_mean; // [channels], buffer
  at::Tensor running_var; // [channels], buffer
  at::Tensor num_batches_tracked; // scalar int64, buffer

 private:
  double eps_;
  double momentum_;
  TrainingForm form_;
  bool frozen_ = false;
};

} // namespace vitrain::networks
