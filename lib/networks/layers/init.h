#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace vitrain::networks {

// Returns an uninitialised fp32 tensor on the CPU. If `generator` is undefined,
// the tensor is on the meta device.
at::Tensor new_weights(at::IntArrayRef sizes, const at::Generator& generator);

// The functions below, except constant(), fill a tensor in place with random
// numbers from `generator`; they do nothing if it is undefined, or within a
// SkipWeightInit. Results equal those of torch.nn.init or timm bit for bit, so
// that a new model equals timm's.

// Fills from the uniform distribution in +-1 / sqrt(fan_in), the default of
// torch.nn.Linear and Conv2d (He et al., "Delving deep into rectifiers", ICCV
// 2015, with a = sqrt(5)). `weight` is [out, in, ...].
void uniform_by_fan_in(at::Tensor weight, at::Generator generator);

// Fills a bias from the uniform distribution in +-1 / sqrt(fan_in of `weight`),
// the default of torch.nn.Linear and Conv2d.
void uniform_bias(
    at::Tensor bias,
    const at::Tensor& weight,
    at::Generator generator);

// Fills from the normal distribution with mean 0 and standard deviation `std`,
// truncated to [-2, 2] (absolute bounds, not multiples of `std`), by the
// inverse of its distribution function.
void truncated_normal(at::Tensor tensor, double std, at::Generator generator);

// Fills from the normal distribution with variance 2 / fan_out, for
// convolutions before a ReLU (He et al., ICCV 2015).
void normal_by_fan_out(at::Tensor weight, at::Generator generator);

// Fills from the uniform distribution in +-sqrt(6 / (fan_in + fan_out)) (Glorot
// and Bengio, AISTATS 2010).
void xavier_uniform(at::Tensor weight, at::Generator generator);

// Fills from a normal distribution truncated at two standard deviations; the
// variance after truncation is 1 / fan_in (LeCun et al., "Efficient backprop",
// 1998; as jax and timm implement it).
void lecun_normal(at::Tensor weight, at::Generator generator);

// Fills from the normal distribution with standard deviation `std`, truncated
// at 2 `std` (timm's trunc_normal_tf_).
void truncated_normal_by_std(
    at::Tensor tensor,
    double std,
    at::Generator generator);

// Fills from the normal distribution with mean 0 and standard deviation `std`.
void normal(at::Tensor tensor, double std, at::Generator generator);

// Fills from the uniform distribution in [-bound, bound].
void uniform(at::Tensor tensor, double bound, at::Generator generator);

// Sets every element to `value`.
void constant(at::Tensor tensor, double value);

// During its lifetime, the functions of this file leave weights on this thread
// uninitialised; only constant() still fills them. Sampling takes most of the
// time of building a network, and is wasted if all weights are loaded
// afterwards.
class SkipWeightInit {
 public:
  SkipWeightInit();
  ~SkipWeightInit();
  SkipWeightInit(const SkipWeightInit&) = delete;
  SkipWeightInit& operator=(const SkipWeightInit&) = delete;

 private:
  bool before_;
};

} // namespace vitrain::networks
