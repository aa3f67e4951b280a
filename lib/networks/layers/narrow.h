#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

// Weights in the dtype of matrix products, converted once for a whole network.
namespace vitrain::networks {

// A flat buffer of parameters and its copy in the dtype of autocast.
struct NarrowCopy {
  at::Tensor wide; // [n] fp32
  at::Tensor narrow; // [n] bf16 or fp16
};

// During its lifetime, layers that run on this thread under autocast read their
// weights from `copies` (null: none), instead of converting them, and backward
// adds their gradients directly to the parameters' .grad, if it exists. The
// copies must not change until backward has ended.
class NarrowScope {
 public:
  explicit NarrowScope(const std::vector<NarrowCopy>* copies);
  ~NarrowScope();
  NarrowScope(const NarrowScope&) = delete;
  NarrowScope& operator=(const NarrowScope&) = delete;

 private:
  const std::vector<NarrowCopy>* outer_;
};

// Returns the copies of this thread's innermost NarrowScope, or null.
const std::vector<NarrowCopy>* narrow_copies();

// Returns a parameter's copy in narrow_copies(); the parameter itself if it has
// none or autocast is off.
at::Tensor narrowed(const at::Tensor& parameter);

// Returns x weight^T + bias (at::linear); an undefined bias is left out. If the
// weight has a copy (narrowed()), computes in the copy's dtype, and backward
// adds the weight's gradient to an existing .grad in fp32 without rounding it.
at::Tensor apply_linear(
    const at::Tensor& x,
    const at::Tensor& weight,
    const at::Tensor& bias = {});

// Returns the products a b of a batch, [B, M, K] x [B, K, N] -> [B, M, N], in
// fp32 without rounding to the dtype of a and b. Backward rounds the gradient
// of the products to that dtype.
at::Tensor wide_products(const at::Tensor& a, const at::Tensor& b);

} // namespace vitrain::networks
