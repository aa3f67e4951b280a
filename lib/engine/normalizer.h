#pragma once

#include <array>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "data/loader.h"

namespace vitrain::engine {

// Moves loader batches to the device and turns bytes into network input:
// (byte / 255 - mean) / std per channel, [N, S, S, 3] uint8 -> [N, 3, S, S]
// fp32. Bytes travel, floats do not: a quarter of the traffic.
class Normalizer {
 public:
  Normalizer(
      const std::array<double, 3>& mean,
      const std::array<double, 3>& std,
      std::int64_t image_size,
      c10::Device device);

  // The first `rows` images.
  at::Tensor images(const data::Batch& batch, std::int64_t rows) const;
  // Labels of the batch's samples, [count] int64 on the device.
  at::Tensor labels(const data::Batch& batch) const;

 private:
  std::int64_t image_size_;
  c10::Device device_;
  at::Tensor scale_; // [1, 3, 1, 1]: 1 / (255 std)
  at::Tensor shift_; // [1, 3, 1, 1]: -mean / std
};

} // namespace vitrain::engine
