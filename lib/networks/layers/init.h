#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace vitrain::networks {

// Returns uninitialised weights that `generator` is about to fill. Without a
// generator they are on the meta device, where the functions below do nothing.
at::Tensor new_weights(at::IntArrayRef sizes, const at::Generator& generator);

// The functions below fill a tensor in place from the next numbers of
// `generator`. They equal the functions of torch.nn.init bit for bit, so that a
// new model equals timm's.

// Uniform in +-1 / sqrt(fan_in), the default of torch.nn.Linear and Conv2d (He
// et al., "Delving deep into rectifiers", ICCV 2015, with a = sqrt(5)).
// `weight` is [out, in, ...].
void uniform_by_fan_in(at::Tensor weight, at::Generator generator);

// Uniform in +-1 / sqrt(fan_in of `weight`), the default of their biases.
void uniform_bias(
    at::Tensor bias,
    const at::Tensor& weight,
    at::Generator generator);

// Normal with this standard deviation, truncated to [-2, 2] (absolute, not
// standard deviations), by the inverse of the distribution function.
void truncated_normal(at::Tensor tensor, double std, at::Generator generator);

// Normal with variance 2 / fan_out, for convolutions before a ReLU (He et al.).
void normal_by_fan_out(at::Tensor weight, at::Generator generator);

// Uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, AISTATS 2010).
void xavier_uniform(at::Tensor weight, at::Generator generator);

// Normal with variance 1 / fan_in after truncation at two standard deviations
// (LeCun et al., "Efficient backprop", 1998; the form of jax and timm).
void lecun_normal(at::Tensor weight, at::Generator generator);

// Normal with this standard deviation, truncated at two standard deviations
// (timm's trunc_normal_tf_).
void truncated_normal_by_std(
    at::Tensor tensor,
    double std,
    at::Generator generator);

// Normal with this standard deviation.
void normal(at::Tensor tensor, double std, at::Generator generator);

// Uniform in +-bound.
void uniform(at::Tensor tensor, double bound, at::Generator generator);

// Sets every value.
void constant(at::Tensor tensor, double value);

} // namespace vitrain::networks
