#include "engine/inputs/normalizer.h"

#include <ATen/ATen.h>

#include "config/sections/preprocess.h"
#include "data/load/loader.h"
#include "models/families/family.h"

namespace vitrain::engine {
namespace {

// Returns fn(c) for each channel c, [1, channels, 1, 1] fp32.
at::Tensor
per_channel(std::int64_t channels, c10::Device device, const auto& fn) {
  at::Tensor values = at::empty({1, channels, 1, 1}, at::kDouble);
  for (std::int64_t c = 0; c < channels; ++c) {
    values[0][c] = fn(static_cast<std::size_t>(c));
  }
  return values.to(at::kFloat).to(device);
}

} // namespace

Normalizer::Normalizer(
    const config::PreprocessConfig& preprocess,
    const models::ModelSpec& spec,
    c10::Device device,
    std::int64_t splits)
    : spec_(spec), device_(device), splits_(splits) {
  const auto& mean = preprocess.mean;
  const auto& std = preprocess.std;
  scale_ = per_channel(spec.channels, device, [&](std::size_t c) {
    return 1 / (255 * std[c % 3]);
  });
  shift_ = per_channel(spec.channels, device, [&](std::size_t c) {
    return -mean[c % 3] / std[c % 3];
  });
}

at::Tensor Normalizer::inputs(const data::Batch& batch, std::int64_t rows)
    const {
  // from_blob requires a mutable pointer; nothing writes through it.
  const at::Tensor bytes = at::from_blob(
      const_cast<std::uint8_t*>(batch.rows.data()),
      {static_cast<std::int64_t>(batch.rows.size())},
      at::kByte);
  return inputs(bytes.to(device_), rows);
}

at::Tensor Normalizer::inputs(const at::Tensor& bytes, std::int64_t rows)
    const {
  return spec_.features > 0 ? columns(bytes, rows, 0, spec_.features)
                            : images(bytes, rows);
}

at::Tensor Normalizer::targets(const at::Tensor& bytes, std::int64_t rows)
    const {
  return columns(bytes, rows, spec_.features, spec_.num_classes);
}

at::Tensor Normalizer::bytes(const at::Tensor& inputs) const {
  return ((inputs - shift_) / scale_)
      .round()
      .clamp(0, 255)
      .permute({0, 2, 3, 1})
      .to(at::kByte)
      .to(at::kCPU)
      .contiguous();
}

at::Tensor Normalizer::images(const at::Tensor& all, std::int64_t rows) const {
  const auto& size = spec_.image_size;
  const std::int64_t image = size.height * size.width * spec_.channels;
  at::Tensor bytes =
      all.narrow(0, 0, rows * splits_ * image)
          .view({rows * splits_, size.height, size.width, spec_.channels});
  if (splits_ > 1) {
    bytes = bytes.unflatten(0, {rows, splits_}).transpose(0, 1).flatten(0, 1);
  }
  return bytes.permute({0, 3, 1, 2})
      .to(at::kFloat,
          /*non_blocking=*/false,
          /*copy=*/false,
          spec_.family->channels_last ? at::MemoryFormat::ChannelsLast
                                      : at::MemoryFormat::Contiguous)
      .mul_(scale_)
      .add_(shift_);
}

at::Tensor Normalizer::columns(
    const at::Tensor& bytes,
    std::int64_t rows,
    std::int64_t first,
    std::int64_t count) const {
  const std::int64_t width = spec_.features + spec_.num_classes;
  constexpr std::int64_t kFloatBytes = sizeof(float);
  // The loader's memory is aligned for floats, and rows are of whole floats.
  return bytes.narrow(0, 0, rows * width * kFloatBytes)
      .view(at::kFloat)
      .view({rows, width})
      .narrow(1, first, count)
      .clone(at::MemoryFormat::Contiguous);
}

at::Tensor labels_of(const data::Batch& batch) {
  return at::from_blob(
             const_cast<std::int64_t*>(batch.labels.data()),
             {static_cast<std::int64_t>(batch.labels.size())},
             at::kLong)
      .clone();
}

} // namespace vitrain::engine
