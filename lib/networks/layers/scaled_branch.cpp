#include "networks/layers/scaled_branch.h"

#include <ATen/ATen.h>

namespace vitrain::networks {

at::Tensor add_scaled_branch(
    const at::Tensor& x,
    const at::Tensor& branch,
    const at::Tensor& scale,
    const at::Tensor& drop,
    std::int64_t row) {
  if (!drop.defined()) {
    return at::addcmul(x, branch, scale);
  }
  const at::Tensor factors =
      drop.select(0, row).view({-1, 1, 1}).to(x.scalar_type());
  return at::addcmul(x, branch, factors * scale);
}

} // namespace vitrain::networks
