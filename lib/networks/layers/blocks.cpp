#include "networks/layers/blocks.h"

#include <algorithm>
#include <numeric>

#include <ATen/ATen.h>

#include "networks/layers/init.h"
#include "networks/layers/narrow.h"

namespace vitrain::networks {
namespace {

// Initialises a linear layer or a convolution.
template <typename Layer>
void start_layer(
    const Layer& layer,
    double std,
    const at::Generator& generator) {
  truncated_normal(layer.weight, std, generator);
  if (layer.bias.defined()) {
    constant(layer.bias, 0.0);
  }
}

} // namespace

std::int64_t DropPaths::add(double rate, std::int64_t branches) {
  const std::int64_t first = std::ssize(rates_);
  rates_.insert(rates_.end(), static_cast<std::size_t>(branches), rate);
  return first;
}

std::vector<std::vector<std::int64_t>> DropPaths::add_stages(
    std::span<const std::int64_t> depths,
    double last,
    std::int64_t branches) {
  const std::vector<double> rates = rising_rates(last, depths);
  auto rate = rates.begin();
  std::vector<std::vector<std::int64_t>> rows;
  for (const std::int64_t depth : depths) {
    rows.emplace_back();
    for (std::int64_t i = 0; i < depth; ++i) {
      rows.back().push_back(add(*rate++, branches));
    }
  }
  return rows;
}

std::vector<double> DropPaths::rates() const {
  return std::ranges::any_of(rates_, [](double rate) { return rate > 0.0; })
      ? rates_
      : std::vector<double>{};
}

std::vector<double> rising_rates(double last, std::int64_t count) {
  std::vector<double> rates(static_cast<std::size_t>(count), 0.0);
  for (std::int64_t i = 1; i < count; ++i) {
    rates[static_cast<std::size_t>(i)] =
        last * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return rates;
}

std::vector<double> rising_rates(
    double last,
    std::span<const std::int64_t> depths) {
  return rising_rates(
      last, std::accumulate(depths.begin(), depths.end(), std::int64_t{0}));
}

at::Tensor add_branch(
    const at::Tensor& x,
    at::Tensor branch,
    const at::Tensor& drop,
    std::int64_t row,
    const at::Tensor& scale) {
  if (drop.defined()) {
    std::vector<std::int64_t> by_image(
        static_cast<std::size_t>(x.dim()), std::int64_t{1});
    by_image[0] = -1;
    const at::Tensor factors =
        drop.select(0, row).view(by_image).to(x.scalar_type());
    return at::addcmul(x, branch, scale.defined() ? factors * scale : factors);
  }
  if (scale.defined()) {
    return at::addcmul(x, branch, scale);
  }
  // Adds in place if the types are equal, which saves one pass over memory.
  return branch.scalar_type() == x.scalar_type() ? branch.add_(x) : x + branch;
}

Conv2d::Shape padded_shape(
    std::int64_t in,
    std::int64_t out,
    std::int64_t kernel,
    std::int64_t stride,
    std::int64_t groups) {
  return {
      .in = in,
      .out = out,
      .kernel = kernel,
      .stride = stride,
      .padding = kernel / 2,
      .groups = groups};
}

Conv2d::Shape
patch_shape(std::int64_t in, std::int64_t out, std::int64_t patch) {
  return {.in = in, .out = out, .kernel = patch, .stride = patch, .bias = true};
}

Conv2d::Shape depthwise_shape(std::int64_t width, std::int64_t kernel) {
  return padded_shape(width, width, kernel, /*stride=*/1, width).with_bias();
}

PatchEmbed::PatchEmbed(
    std::int64_t channels,
    std::int64_t patch,
    std::int64_t width,
    at::Generator generator,
    bool with_bias) {
  Conv2d::Shape shape = patch_shape(channels, width, patch);
  shape.bias = with_bias;
  proj_ = add_layer<Conv2d>(*this, "proj", shape, generator);
}

at::Tensor PatchEmbed::forward(const at::Tensor& images) const {
  const at::Tensor weight = narrowed(proj_->weight).flatten(1);
  const std::int64_t patch = proj_->weight.size(2);
  const std::int64_t rows = images.size(2) / patch;
  const std::int64_t columns = images.size(3) / patch;
  at::Tensor whole = images;
  if (images.size(2) != rows * patch || images.size(3) != columns * patch) {
    whole = images.narrow(2, 0, rows * patch).narrow(3, 0, columns * patch);
  }
  const at::Tensor patches =
      whole.view({-1, images.size(1), rows, patch, columns, patch})
          .permute({0, 2, 4, 1, 3, 5})
          .reshape({images.size(0), rows * columns, weight.size(1)});
  return at::linear(patches, weight, narrowed(proj_->bias));
}

at::Tensor activate(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kGeluTanh:
      return at::gelu(x, "tanh");
    case Activation::kQuickGelu: // Hendrycks and Gimpel, 2016, section 2
      return x * at::sigmoid(1.702 * x);
    case Activation::kRelu:
      // torch's relu has no meta kernel.
      return x.is_meta() ? at::empty_like(x) : at::relu(x);
    case Activation::kSilu:
      return at::silu(x);
    case Activation::kHardSwish: // no meta kernel
      return x.is_meta() ? at::empty_like(x) : at::hardswish(x);
  }
  return x;
}

Mlp::Mlp(
    std::int64_t width,
    std::int64_t hidden,
    at::Generator generator,
    Activation activation,
    bool gated)
    : gated_(gated), activation_(activation) {
  fc1_ = add_layer<Linear>(*this, "fc1", width, hidden, generator);
  fc2_ = add_layer<Linear>(
      *this, "fc2", gated ? hidden / 2 : hidden, width, generator);
}

at::Tensor Mlp::operator()(const at::Tensor& x, const Dropout& dropout) const {
  at::Tensor y = (*fc1_)(x);
  if (gated_) {
    const auto halves = y.chunk(2, /*dim=*/-1);
    y = activate(halves[0], activation_) * halves[1];
  } else {
    y = activate(y, activation_);
  }
  return dropout((*fc2_)(dropout(y)));
}

void Mlp::init_gate(double std, const at::Generator& generator) {
  if (gated_) {
    const at::NoGradGuard no_grad;
    normal(fc1_->weight.chunk(2, 0)[1], std, generator);
    constant(fc1_->bias.chunk(2, 0)[1], 1.0);
  }
}

ClassAttention::ClassAttention(
    std::int64_t width,
    std::int64_t heads,
    const at::Generator& generator)
    : heads_(heads),
      q_(add_layer<Linear>(*this, "q", width, width, generator)),
      k_(add_layer<Linear>(*this, "k", width, width, generator)),
      v_(add_layer<Linear>(*this, "v", width, width, generator)),
      proj_(add_layer<Linear>(*this, "proj", width, width, generator)) {}

at::Tensor ClassAttention::operator()(const at::Tensor& x) const {
  const at::Tensor seen = attention(
      split_heads((*q_)(x.select(1, 0)), heads_),
      split_heads((*k_)(x), heads_),
      split_heads((*v_)(x), heads_));
  return (*proj_)(seen.transpose(1, 2).reshape({x.size(0), 1, x.size(2)}));
}

ConvEmbed::ConvEmbed(
    const Conv2d::Shape& shape,
    double norm_eps,
    const at::Generator& generator)
    : proj_(add_layer<Conv2d>(*this, "proj", shape, generator)),
      norm_(add_layer<LayerNorm>(*this, "norm", shape.out, norm_eps)) {}

at::Tensor ConvEmbed::operator()(const at::Tensor& x) const {
  return (*norm_)(proj_->over_pixels(x));
}

ImageNorm::ImageNorm(
    std::int64_t channels,
    double eps,
    const at::Generator& generator,
    bool with_bias)
    : eps_(eps),
      weight_(add_constant(*this, "weight", {channels}, 1.0, generator)) {
  if (with_bias) {
    bias_ = add_constant(*this, "bias", {channels}, 0.0, generator);
  }
}

at::Tensor ImageNorm::operator()(const at::Tensor& x) const {
  if (x.is_meta()) {
    return at::empty_like(x); // no meta kernel
  }
  return at::group_norm(
             x.permute({0, 3, 1, 2}), /*num_groups=*/1, weight_, bias_, eps_)
      .permute({0, 2, 3, 1});
}

void init_linear_layers(
    const torch::nn::Module& module,
    double std,
    const at::Generator& generator) {
  for (const auto& layer : module.modules(/*include_self=*/false)) {
    if (const auto* linear = layer->as<Linear>()) {
      start_layer(*linear, std, generator);
    }
  }
}

void init_channels_last_layers(
    const torch::nn::Module& module,
    double std,
    const at::Generator& generator) {
  for (const auto& layer : module.modules(/*include_self=*/false)) {
    if (const auto* linear = layer->as<Linear>()) {
      start_layer(*linear, std, generator);
    } else if (auto* conv = layer->as<Conv2d>()) {
      start_layer(*conv, std, generator);
      conv->use_channels_last();
    }
  }
}

} // namespace vitrain::networks
