#include "engine/inputs/upload.h"

#include <ATen/ATen.h>

namespace vitrain::engine {

at::Tensor upload(const at::Tensor& tensor, const c10::Device& device) {
  return device.is_cuda()
      ? tensor.pin_memory().to(device, /*non_blocking=*/true)
      : tensor.to(device);
}

} // namespace vitrain::engine
