#include "networks/image_start.h"

#include <tuple>

#include <ATen/ATen.h>

namespace vitrain::networks {

at::Tensor
whitening_filters(const at::Tensor& images, std::int64_t kernel, double eps) {
  const std::int64_t channels = images.size(1);
  const std::int64_t numbers = channels * kernel * kernel;
  // In double precision: small eigenvalues are differences of large sums.
  at::Tensor moments = at::zeros({numbers, numbers}, at::kDouble);
  std::int64_t count = 0;
  for (const at::Tensor& some : images.split(/*split_size=*/256)) {
    const at::Tensor patches = some.unfold(2, kernel, 1)
                                   .unfold(3, kernel, 1)
                                   .permute({0, 2, 3, 1, 4, 5})
                                   .reshape({-1, numbers})
                                   .to(at::kDouble);
    moments += patches.t().mm(patches);
    count += patches.size(0);
  }
  const auto [values, vectors] = at::linalg_eigh(moments / count);
  const at::Tensor filters = (vectors / (values + eps).sqrt())
                                 .t()
                                 .flip(0)
                                 .reshape({numbers, channels, kernel, kernel});
  return at::cat({filters, -filters}).to(at::kFloat);
}

} // namespace vitrain::networks
