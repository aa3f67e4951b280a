#include "engine/inputs/normalizer.h"

#include <ATen/ATen.h>

#include "engine/inputs/upload.h"
#include "models/families/family.h"

namespace vitrain::engine {
namespace {

// fn(c) for each channel c, [1, channels, 1, 1] fp32.
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
  scale_ = per_channel(
      spec.channels, device, [&](std::size_t c) { return 1 / (255 * std[c]); });
  shift_ = per_channel(
      spec.channels, device, [&](std::size_t c) { return -mean[c] / std[c]; });
}

at::Tensor Normalizer::inputs(const data::Batch& batch, std::int64_t rows)
    const {
  return spec_.features > 0 ? columns(batch, rows, 0, spec_.features)
                            : images(batch, rows);
}

at::Tensor Normalizer::targets(const data::Batch& batch) const {
  if (spec_.features > 0) {
    return columns(batch, batch.count, spec_.features, spec_.num_classes);
  }
  const auto count = static_cast<std::int64_t>(batch.labels.size());
  const at::Tensor labels = at::from_blob(
      const_cast<std::int64_t*>(batch.labels.data()), {count}, at::kLong);
  return device_.is_cpu() ? labels.clone() : upload(labels, device_);
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

at::Tensor Normalizer::images(const data::Batch& batch, std::int64_t rows)
    const {
  // from_blob wants a mutable pointer; nothing writes through it.
  at::Tensor bytes = at::from_blob(
                         const_cast<std::uint8_t*>(batch.rows.data()),
                         {rows * splits_,
                          spec_.image_size.height,
                          spec_.image_size.width,
                          spec_.channels},
                         at::kByte)
                         .to(device_);
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
    const data::Batch& batch,
    std::int64_t rows,
    std::int64_t first,
    std::int64_t count) const {
  const std::int64_t width = spec_.features + spec_.num_classes;
  // The loader's memory is aligned for floats, and rows are of whole floats.
  return at::from_blob(
             const_cast<std::uint8_t*>(batch.rows.data()),
             {rows, width},
             at::kFloat)
      .narrow(1, first, count)
      .clone(at::MemoryFormat::Contiguous)
      .to(device_);
}

} // namespace vitrain::engine
