#include "networks/layers/positions.h"

#include <ATen/ATen.h>

namespace vitrain::networks {

at::Tensor resample_positions(
    const at::Tensor& positions,
    std::int64_t extra,
    const ImageSize& from,
    const ImageSize& to) {
  if (to == from) {
    return positions;
  }
  // timm interpolates in fp32, whatever type the network has.
  const at::Tensor grid =
      positions.narrow(1, extra, from.area())
          .to(at::kFloat)
          .view({1, from.height, from.width, positions.size(2)})
          .permute({0, 3, 1, 2});
  const at::Tensor moved = at::_upsample_bicubic2d_aa(
                               grid,
                               {to.height, to.width},
                               /*align_corners=*/false)
                               .permute({0, 2, 3, 1})
                               .reshape({1, to.area(), positions.size(2)})
                               .to(positions.scalar_type());
  return extra == 0 ? moved
                    : at::cat({positions.narrow(1, 0, extra), moved}, 1);
}

} // namespace vitrain::networks
