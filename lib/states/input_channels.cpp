#include "states/input_channels.h"

#include <ATen/ATen.h>

namespace vitrain::states {

at::Tensor for_channels(const at::Tensor& weights, std::int64_t channels) {
  const at::Tensor colours = weights.to(at::kFloat);
  if (channels == 1) {
    return colours.sum(1, /*keepdim=*/true);
  }
  return colours.repeat({1, (channels + 2) / 3, 1, 1}).narrow(1, 0, channels) *
      (3.0 / static_cast<double>(channels));
}

} // namespace vitrain::states
