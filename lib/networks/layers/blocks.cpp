#include "networks/layers/blocks.h"

#include <algorithm>

#include <ATen/ATen.h>

namespace vitrain::networks {

std::int64_t DropPaths::add(double rate) {
  rates_.push_back(rate);
  return std::ssize(rates_) - 1;
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

at::Tensor add_branch(
    const at::Tensor& x,
    at::Tensor branch,
    const at::Tensor& drop,
    std::int64_t row) {
  if (drop.defined()) {
    std::vector<std::int64_t> by_image(
        static_cast<std::size_t>(x.dim()), std::int64_t{1});
    by_image[0] = -1;
    return at::addcmul(
        x, branch, drop.select(0, row).view(by_image).to(x.scalar_type()));
  }
  // In place where the types allow it: one pass over memory less.
  return branch.scalar_type() == x.scalar_type() ? branch.add_(x) : x + branch;
}

PatchEmbed::PatchEmbed(
    std::int64_t channels,
    std::int64_t patch,
    std::int64_t width,
    at::Generator generator,
    bool with_bias) {
  const Conv2d::Shape shape{
      .in = channels,
      .out = width,
      .kernel = patch,
      .stride = patch,
      .bias = with_bias};
  proj_ = add_layer<Conv2d>(*this, "proj", shape, generator);
}

at::Tensor PatchEmbed::forward(const at::Tensor& images) const {
  const at::Tensor weight = proj_->weight.flatten(1);
  const std::int64_t patch = proj_->weight.size(2);
  const std::int64_t rows = images.size(2) / patch;
  const std::int64_t columns = images.size(3) / patch;
  const at::Tensor patches =
      images.view({-1, images.size(1), rows, patch, columns, patch})
          .permute({0, 2, 4, 1, 3, 5})
          .reshape({images.size(0), rows * columns, weight.size(1)});
  return at::linear(patches, weight, proj_->bias);
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
      // torch has no kernel for shapes alone.
      return x.is_meta() ? at::empty_like(x) : at::relu(x);
    case Activation::kSilu:
      return at::silu(x);
    case Activation::kHardSwish: // which has no kernel for shapes alone
      return x.is_meta() ? at::empty_like(x) : at::hardswish(x);
  }
  return x;
}

Mlp::Mlp(
    std::int64_t width,
    std::int64_t hidden,
    at::Generator generator,
    Activation activation)
    : activation_(activation) {
  fc1_ = add_layer<Linear>(*this, "fc1", width, hidden, generator);
  fc2_ = add_layer<Linear>(*this, "fc2", hidden, width, generator);
}

at::Tensor Mlp::operator()(const at::Tensor& x) const {
  return (*fc2_)(activate((*fc1_)(x), activation_));
}

} // namespace vitrain::networks
