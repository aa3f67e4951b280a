#include "engine/normalizer.h"

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

at::Tensor channels(double red, double green, double blue, c10::Device device) {
  return at::tensor({red, green, blue}, at::kDouble)
      .to(at::kFloat)
      .view({1, 3, 1, 1})
      .to(device);
}

} // namespace

Normalizer::Normalizer(
    const std::array<double, 3>& mean,
    const std::array<double, 3>& std,
    std::int64_t image_size,
    c10::Device device)
    : image_size_(image_size),
      device_(device),
      scale_(channels(
          1 / (255 * std[0]),
          1 / (255 * std[1]),
          1 / (255 * std[2]),
          device)),
      shift_(channels(
          -mean[0] / std[0],
          -mean[1] / std[1],
          -mean[2] / std[2],
          device)) {}

at::Tensor Normalizer::images(const data::Batch& batch, std::int64_t rows)
    const {
  // from_blob wants a mutable pointer; nothing writes through it.
  const at::Tensor bytes = at::from_blob(
                               const_cast<std::uint8_t*>(batch.pixels.data()),
                               {rows, image_size_, image_size_, 3},
                               at::kByte)
                               .to(device_);
  return bytes.permute({0, 3, 1, 2})
      .to(at::kFloat,
          /*non_blocking=*/false,
          /*copy=*/false,
          at::MemoryFormat::Contiguous)
      .mul_(scale_)
      .add_(shift_);
}

at::Tensor Normalizer::labels(const data::Batch& batch) const {
  const auto count = static_cast<std::int64_t>(batch.labels.size());
  return at::from_blob(
             const_cast<std::int64_t*>(batch.labels.data()), {count}, at::kLong)
      .clone()
      .to(device_);
}

} // namespace vitrain::engine
