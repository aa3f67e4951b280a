#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace vitrain::networks {

// Room for weights that `generator` is going to draw; without one on the meta
// device, where the functions below leave everything as it is.
at::Tensor new_weights(at::IntArrayRef sizes, const at::Generator& generator);

// In place, each from the next numbers of `generator`. They draw what the
// functions of torch.nn.init draw, bit for bit, so that a model equals timm's.

// Uniform in +-1 / sqrt(fan_in): how torch.nn.Linear and Conv2d start (He et
// al., "Delving deep into rectifiers", ICCV 2015, with a = sqrt(5)). `weight`
// is [out, in, ...].
void uniform_by_fan_in(at::Tensor weight, at::Generator generator);

// Uniform in +-1 / sqrt(fan_in of `weight`): their biases.
void uniform_bias(
    at::Tensor bias,
    const at::Tensor& weight,
    at::Generator generator);

// Normal with this standard deviation, cut off at +-2 (absolute, not in
// standard deviations), by the inverse of the distribution function.
void truncated_normal(at::Tensor tensor, double std, at::Generator generator);

// Normal with variance 2 / fan_out: convolutions before a ReLU (He et al.).
void normal_by_fan_out(at::Tensor weight, at::Generator generator);

// Uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, AISTATS 2010).
void xavier_uniform(at::Tensor weight, at::Generator generator);

// Normal with variance 1 / fan_in, cut off at two standard deviations of the
// uncut one (LeCun et al., "Efficient backprop", 1998; as jax and timm do it).
void lecun_normal(at::Tensor weight, at::Generator generator);

// Normal with this standard deviation, cut off at two of it (timm's
// trunc_normal_tf_).
void truncated_normal_by_std(
    at::Tensor tensor,
    double std,
    at::Generator generator);

// Normal with this standard deviation.
void normal(at::Tensor tensor, double std, at::Generator generator);

// Uniform in +-bound.
void uniform(at::Tensor tensor, double bound, at::Generator generator);

// Every value the same.
void constant(at::Tensor tensor, double value);

} // namespace vitrain::networks
