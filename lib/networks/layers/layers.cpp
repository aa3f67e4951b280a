#include "networks/layers/layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "networks/layers/batch_count.h"
#include "networks/layers/init.h"
#include "networks/layers/narrow.h"

namespace vitrain::networks {
namespace {

// Largest number of softmax weights that unfused attention may keep for
// backward: 1 GiB in fp32. Longer sequences use the fused kernel, which keeps
// none.
constexpr std::int64_t kMostWeights = std::int64_t{1} << 28;

// 1 x 1 convolutions with a stride above 1 and fewer channels than this write
// outside their memory in oneDNN's bf16 backward (torch 2.11, with two threads
// and AVX-512).
constexpr std::int64_t kLeastStrided = 16;

// Returns q k^T / sqrt(d). For a single query on a GPU it is computed in fp32,
// as in the fused kernels: with bf16 scores, outputs differed from exact ones
// by 1 % of the largest, with fp32 scores by 0.3 % (H200).
at::Tensor attention_scores(const at::Tensor& query, const at::Tensor& key) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(3)));
  if (query.is_cuda() && query.size(2) == 1) {
    return wide_products(
               query.flatten(0, 1), key.transpose(-2, -1).flatten(0, 1))
        .mul(scale)
        .view({query.size(0), query.size(1), 1, key.size(2)});
  }
  return at::matmul(query * scale, key.transpose(-2, -1));
}

// Returns the softmax of attention_scores(), computed in fp32, in the query's
// type.
at::Tensor softmax_weights(const at::Tensor& query, const at::Tensor& key) {
  return at::softmax(attention_scores(query, key), /*dim=*/-1, at::kFloat)
      .to(query.scalar_type());
}

// True for depthwise convolutions under bf16 autocast on a CPU for which oneDNN
// has no fast kernel (torch 2.11, AVX-512 BF16). In fp32, conversions included,
// forward and backward took 0.36 to 0.75 of the time at stride 1 and 0.1 to 0.2
// at stride 2. 3 x 3 convolutions at stride 1 are fast in bf16.
bool slow_in_bf16(
    const at::Tensor& x,
    const at::Tensor& weight,
    std::int64_t stride) {
  return x.is_cpu() && at::autocast::is_autocast_enabled(at::kCPU) &&
      at::autocast::get_autocast_dtype(at::kCPU) == at::kBFloat16 &&
      weight.size(0) > 1 && weight.size(1) == 1 &&
      (stride > 1 || std::max(weight.size(2), weight.size(3)) > 3);
}

} // namespace

at::Tensor attention(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value) {
  const std::int64_t weights =
      query.size(0) * query.size(1) * query.size(2) * key.size(2);
  // On GPUs a single query, such as the class token in the last block, uses
  // plain products: the fused kernel that torch picks on sm90 (cuDNN's) fails
  // in backward (pytorch#138529), and there is little to fuse.
  const bool plain = query.is_cpu() ? query.scalar_type() == at::kBFloat16
                                    : query.size(2) == 1;
  const bool fused = !plain || weights > kMostWeights;
  if (fused && !query.is_meta()) { // no fused kernel has a meta version
    return at::scaled_dot_product_attention(query, key, value);
  }
  return at::matmul(softmax_weights(query, key), value);
}

at::Tensor Dropout::operator()(const at::Tensor& x) const {
  if (rate == 0.0 || !generator.defined()) {
    return x;
  }
  at::Tensor kept = at::empty(x.sizes(), x.options().dtype(at::kBool));
  kept.bernoulli_(1.0 - rate, generator);
  return x.mul(kept).mul_(1.0 / (1.0 - rate));
}

namespace {

thread_local at::Generator masks_now;
thread_local FeatureScope* features_now = nullptr;

} // namespace

DropoutScope::DropoutScope(at::Generator masks)
    : outer_(std::exchange(masks_now, std::move(masks))) {}

DropoutScope::~DropoutScope() {
  masks_now = std::move(outer_);
}

const at::Generator& dropout_masks() {
  return masks_now;
}

FeatureScope::FeatureScope() : outer_(std::exchange(features_now, this)) {}

FeatureScope::~FeatureScope() {
  features_now = outer_;
}

std::vector<at::Tensor> FeatureScope::take() {
  return std::exchange(inputs_, {});
}

at::Tensor attention_with_dropout(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const Dropout& dropout) {
  if (dropout.rate == 0.0 || !dropout.generator.defined()) {
    return attention(query, key, value);
  }
  return at::matmul(dropout(softmax_weights(query, key)), value);
}

at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), -1, heads, x.size(-1) / heads}).transpose(1, 2);
}

std::vector<at::Tensor>
split_parts(const at::Tensor& x, std::int64_t parts, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), parts, heads, -1})
      .permute({2, 0, 3, 1, 4})
      .unbind(0);
}

at::Tensor add_constant(
    torch::nn::Module& module,
    const std::string& name,
    at::IntArrayRef sizes,
    double value,
    const at::Generator& generator) {
  const at::Tensor parameter =
      module.register_parameter(name, new_weights(sizes, generator));
  constant(parameter, value);
  return parameter;
}

Linear::Linear(
    std::int64_t in,
    std::int64_t out,
    at::Generator generator,
    bool with_bias) {
  weight = register_parameter("weight", new_weights({out, in}, generator));
  uniform_by_fan_in(weight, generator);
  if (with_bias) {
    bias = register_parameter("bias", new_weights({out}, generator));
    uniform_bias(bias, weight, generator);
  }
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
  return with_bias(x, bias);
}

at::Tensor Linear::with_bias(const at::Tensor& x, const at::Tensor& by) const {
  if (classifies_ && features_now != nullptr) {
    features_now->inputs_.push_back(x);
  }
  const at::Tensor in = Dropout{input_dropout_, dropout_masks()}(x);
  const at::Tensor y = apply_linear(in, weight, by);
  return lora_a_ ? adapted(y, in, lora_b_->weight) : y;
}

std::vector<at::Tensor> Linear::parts(
    std::initializer_list<at::Tensor> inputs,
    at::IntArrayRef sizes) const {
  const auto split = [&](const at::Tensor& whole) {
    return whole.defined() ? narrowed(whole).split_with_sizes(sizes)
                           : std::vector<at::Tensor>(sizes.size());
  };
  const auto weights = split(weight);
  const auto biases = split(bias);
  const auto ups = split(lora_a_ ? lora_b_->weight : at::Tensor());
  std::vector<at::Tensor> outputs;
  for (const at::Tensor& x : inputs) {
    const std::size_t i = outputs.size();
    const at::Tensor y = at::linear(x, weights[i], biases[i]);
    outputs.push_back(lora_a_ ? adapted(y, x, ups[i]) : y);
  }
  return outputs;
}

at::Tensor Linear::over_tokens(const at::Tensor& x) const {
  at::Tensor y = at::baddbmm(
      narrowed(bias).unsqueeze(1),
      narrowed(weight).expand({x.size(0), -1, -1}),
      x);
  if (!lora_a_) {
    return y;
  }
  const at::Tensor in = Dropout{lora_dropout_, dropout_masks()}(x);
  return y.add_(
      at::matmul(lora_b_->weight, at::matmul(lora_a_->weight, in)),
      lora_scale_);
}

void Linear::add_adapter(
    const config::LoraConfig& lora,
    const at::Generator& generator) {
  const std::int64_t rank = *lora.rank;
  lora_a_ = add_layer<Linear>(
      *this, "lora_A", weight.size(1), rank, generator, /*with_bias=*/false);
  lora_b_ = add_layer<Linear>(
      *this, "lora_B", rank, weight.size(0), generator, /*with_bias=*/false);
  constant(lora_b_->weight, 0.0);
  register_buffer(
      "lora_alpha",
      at::full({}, lora.alpha, weight.options().dtype(at::kLong)));
  lora_dropout_ = lora.dropout;
  lora_scale_ = static_cast<double>(lora.alpha) / static_cast<double>(rank);
}

at::Tensor
Linear::adapted(at::Tensor y, const at::Tensor& x, const at::Tensor& up) const {
  const at::Tensor in = Dropout{lora_dropout_, dropout_masks()}(x);
  return y.add_(
      apply_linear(apply_linear(in, lora_a_->weight), up), lora_scale_);
}

LayerNorm::LayerNorm(std::int64_t width, double eps, NormKind kind)
    : eps_(eps) {
  weight = register_parameter("weight", at::ones({width}));
  if (kind == NormKind::kLayer) {
    bias = register_parameter("bias", at::zeros({width}));
  }
}

at::Tensor LayerNorm::operator()(const at::Tensor& x) const {
  if (x.is_meta()) {
    return at::empty_like(x); // torch has no meta kernel
  }
  if (bias.defined()) {
    return at::layer_norm(x, weight.sizes(), weight, bias, eps_);
  }
  // Squares are summed in fp32, because bf16 has too few digits.
  const at::Tensor wide =
      x.to(at::promote_types(x.scalar_type(), weight.scalar_type()));
  const at::Tensor square = wide.square().mean(-1, /*keepdim=*/true);
  return wide * at::rsqrt(square + eps_) * weight;
}

Conv2d::Conv2d(const Shape& shape, at::Generator generator)
    : stride_(shape.stride),
      padding_{
          shape.padding,
          shape.kernel_width > 0 ? shape.padding_width : shape.padding},
      dilation_(shape.dilation),
      groups_(shape.groups) {
  const std::int64_t width =
      shape.kernel_width > 0 ? shape.kernel_width : shape.kernel;
  weight = register_parameter(
      "weight",
      new_weights(
          {shape.out, shape.in / shape.groups, shape.kernel, width},
          generator));
  uniform_by_fan_in(weight, generator);
  if (shape.bias) {
    bias = register_parameter("bias", new_weights({shape.out}, generator));
    uniform_bias(bias, weight, generator);
  }
}

at::Tensor Conv2d::operator()(const at::Tensor& x) const {
  return x.is_meta() ? over_meta(x) : with_kernel(x, weight);
}

at::Tensor Conv2d::with_kernel(const at::Tensor& x, const at::Tensor& kernel)
    const {
  constexpr std::array<std::int64_t, 2> kNone{0, 0};
  if (stride_ > 1 && kernel.size(2) == 1 && kernel.size(3) == 1 &&
      padding_ == kNone &&
      std::min(kernel.size(0), kernel.size(1)) < kLeastStrided) {
    const at::Tensor seen =
        x.slice(2, 0, x.size(2), stride_).slice(3, 0, x.size(3), stride_);
    const std::int64_t one = 1;
    return at::conv2d(
        seen, narrowed(kernel), narrowed(bias), one, padding_, one, groups_);
  }
  const std::array strides{stride_over(x, 2), stride_over(x, 3)};
  const auto over = [&](const at::Tensor& seen,
                        const at::Tensor& by,
                        const at::Tensor& shift) {
    return at::conv2d(seen, by, shift, strides, padding_, dilation_, groups_);
  };
  if (groups_ > 1 && slow_in_bf16(x, kernel, stride_)) {
    const c10::impl::ExcludeDispatchKeyGuard as_it_is(
        c10::DispatchKey::AutocastCPU);
    return over(x.to(at::kFloat), kernel, bias).to(at::kBFloat16);
  }
  return over(x, narrowed(kernel), narrowed(bias));
}

// Returns the stride to use along this dimension of x. If the stride exceeds
// the side, oneDNN's bf16 weight gradient contains uninitialised memory (torch
// 2.11; MALLOC_PERTURB_ shows it). In that case a stride equal to the side is
// used, if the number of outputs is the same.
std::int64_t Conv2d::stride_over(const at::Tensor& x, std::int64_t dimension)
    const {
  const std::int64_t side = x.size(dimension);
  const std::int64_t length = way(x, dimension);
  return side > 0 && side < stride_ && length >= 0 &&
          length / side == length / stride_
      ? side
      : stride_;
}

std::int64_t Conv2d::way(const at::Tensor& x, std::int64_t dimension) const {
  return x.size(dimension) +
      2 * padding_[static_cast<std::size_t>(dimension - 2)] -
      (dilation_ * (weight.size(dimension) - 1) + 1);
}

// Computes the convolution's output on the meta device, where torch has no
// convolution, as a matrix product of the same cost and of the same tensors.
at::Tensor Conv2d::over_meta(const at::Tensor& x) const {
  const std::int64_t depth = weight.numel() / weight.size(0);
  const std::int64_t rows = way(x, 2) / stride_ + 1;
  const std::int64_t columns = way(x, 3) / stride_ + 1;
  return at::mm(
             x.as_strided({x.size(0) * rows * columns, depth}, {0, 0}),
             weight.as_strided({depth, weight.size(0)}, {0, 0}))
      .view({x.size(0), rows, columns, weight.size(0)})
      .permute({0, 3, 1, 2});
}

at::Tensor Conv2d::pointwise(const at::Tensor& x) const {
  return at::linear(x, narrowed(weight).flatten(1), narrowed(bias));
}

at::Tensor Conv2d::over_pixels(const at::Tensor& x) const {
  return (*this)(x.permute({0, 3, 1, 2})).permute({0, 2, 3, 1}).contiguous();
}

void Conv2d::use_channels_last() {
  weight.set_data(weight.contiguous(at::MemoryFormat::ChannelsLast));
}

void normal_by_group_fan_out(Conv2d& conv, const at::Generator& generator) {
  const at::Tensor& weight = conv.weight;
  const std::int64_t fan_out =
      weight.size(0) * weight.size(2) * weight.size(3) / conv.groups();
  normal(weight, std::sqrt(2.0 / static_cast<double>(fan_out)), generator);
  if (conv.bias.defined()) {
    constant(conv.bias, 0.0);
  }
}

BatchNorm2d::BatchNorm2d(std::int64_t channels, double eps, double momentum)
    : eps_(eps), momentum_(momentum) {
  weight = register_parameter("weight", at::ones({channels}));
  bias = register_parameter("bias", at::zeros({channels}));
  running_mean = register_buffer("running_mean", at::zeros({channels}));
  running_var = register_buffer("running_var", at::ones({channels}));
  num_batches_tracked =
      register_buffer("num_batches_tracked", at::zeros({}, at::kLong));
}

void BatchNorm2d::freeze() {
  frozen_ = true;
  train(false);
}

void BatchNorm2d::train(bool on) {
  Module::train(on && !frozen_);
}

at::Tensor BatchNorm2d::operator()(const at::Tensor& x) {
  if (x.is_meta()) {
    return at::empty_like(x); // no meta kernel
  }
  if (is_training()) {
    count_batch(num_batches_tracked);
    if (form_) {
      return form_(*this, x);
    }
  }
  // The variance of a single value is NaN and would spoil the running
  // statistics permanently.
  const bool learns = !is_training() || x.numel() > x.size(1);
  return at::batch_norm(
      x,
      weight,
      bias,
      learns ? running_mean : at::Tensor(),
      learns ? running_var : at::Tensor(),
      is_training(),
      momentum_,
      eps_,
      at::globalContext().userEnabledCuDNN());
}

} // namespace vitrain::networks
