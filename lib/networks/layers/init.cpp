#include "networks/layers/init.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace vitrain::networks {
namespace {

// Returns fan_in (dimension 1) or fan_out (dimension 0): that size of `weight`
// times the kernel's area.
double fan(const at::Tensor& weight, std::int64_t dimension) {
  const auto whole = static_cast<double>(weight.numel());
  return whole / static_cast<double>(weight.size(1 - dimension));
}

thread_local bool skip_weight_init = false;

bool draws(const at::Generator& generator) {
  return generator.defined() && !skip_weight_init;
}

double normal_cdf(double x) {
  return (1.0 + std::erf(x / std::sqrt(2.0))) / 2.0;
}

} // namespace

SkipWeightInit::SkipWeightInit() : before_(skip_weight_init) {
  skip_weight_init = true;
}

SkipWeightInit::~SkipWeightInit() {
  skip_weight_init = before_;
}

at::Tensor new_weights(at::IntArrayRef sizes, const at::Generator& generator) {
  return at::empty(
      sizes, at::device(generator.defined() ? at::kCPU : at::kMeta));
}

void uniform_by_fan_in(at::Tensor weight, at::Generator generator) {
  // Rounds as torch does: gain, then standard deviation, then bound.
  const double slope = std::sqrt(5.0);
  const double gain = std::sqrt(2.0 / (1.0 + slope * slope));
  const double std = gain / std::sqrt(fan(weight, 1));
  uniform(weight, std::sqrt(3.0) * std, generator);
}

void uniform_bias(
    at::Tensor bias,
    const at::Tensor& weight,
    at::Generator generator) {
  uniform(bias, 1.0 / std::sqrt(fan(weight, 1)), generator);
}

void truncated_normal(at::Tensor tensor, double std, at::Generator generator) {
  if (!draws(generator)) {
    return;
  }
  const at::NoGradGuard no_grad;
  const double cut = 2.0;
  const double low = normal_cdf(-cut / std);
  const double high = normal_cdf(cut / std);
  tensor.uniform_(2.0 * low - 1.0, 2.0 * high - 1.0, generator);
  tensor.erfinv_();
  tensor.mul_(std * std::sqrt(2.0));
  tensor.clamp_(-cut, cut);
}

void xavier_uniform(at::Tensor weight, at::Generator generator) {
  const double std = std::sqrt(2.0 / (fan(weight, 0) + fan(weight, 1)));
  uniform(weight, std::sqrt(3.0) * std, generator);
}

void lecun_normal(at::Tensor weight, at::Generator generator) {
  // Standard deviation of the standard normal distribution truncated at +-2.
  constexpr double kCutStd = 0.87962566103423978;
  truncated_normal_by_std(
      weight, std::sqrt(1.0 / fan(weight, 1)) / kCutStd, generator);
}

void truncated_normal_by_std(
    at::Tensor tensor,
    double std,
    at::Generator generator) {
  if (!draws(generator)) {
    return;
  }
  const at::NoGradGuard no_grad;
  truncated_normal(tensor, 1.0, generator);
  tensor.mul_(std);
}

void normal(at::Tensor tensor, double std, at::Generator generator) {
  if (!draws(generator)) {
    return;
  }
  const at::NoGradGuard no_grad;
  tensor.normal_(0.0, std, generator);
}

void uniform(at::Tensor tensor, double bound, at::Generator generator) {
  if (!draws(generator)) {
    return;
  }
  const at::NoGradGuard no_grad;
  tensor.uniform_(-bound, bound, generator);
}

void constant(at::Tensor tensor, double value) {
  const at::NoGradGuard no_grad;
  tensor.fill_(value);
}

void normal_by_fan_out(at::Tensor weight, at::Generator generator) {
  normal(weight, std::sqrt(2.0) / std::sqrt(fan(weight, 0)), generator);
}

} // namespace vitrain::networks
