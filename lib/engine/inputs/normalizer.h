#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "models/families/spec.h"

namespace vitrain::config {
struct PreprocessConfig;
} // namespace vitrain::config

namespace vitrain::data {
struct Batch;
} // namespace vitrain::data

namespace vitrain::engine {

// Moves loader batches to the device and converts them to the network's inputs
// and targets.
//   images: (byte / 255 - mean) / std per channel; with more than three
//     channels, the three means and stds are used in turn. [N, H, W, C] uint8
//     -> [N, C, H, W] fp32, in channels_last for families that prefer it. Bytes
//     are uploaded rather than floats: a quarter of the traffic;
//   vectors: [N, F] fp32, unchanged.
// With `splits` versions of each image (data::TransformOptions) the first
// versions of all samples come first, then the second: [splits N, C, H, W].
class Normalizer {
 public:
  Normalizer(
      const config::PreprocessConfig& preprocess,
      const models::ModelSpec& spec,
      c10::Device device,
      std::int64_t splits = 1);

  // Return the inputs of the first `rows` samples, on the device: from a batch
  // on the host, or from `bytes`, the batch's rows on the device ([bytes]
  // uint8).
  at::Tensor inputs(const data::Batch& batch, std::int64_t rows) const;
  at::Tensor inputs(const at::Tensor& bytes, std::int64_t rows) const;
  // Converts normalised images back to pixels, rounded and clipped to 0 ... 255
  // (noise from erasing may lie outside): [N, H, W, C] uint8 on the CPU.
  at::Tensor bytes(const at::Tensor& inputs) const;
  // Returns the targets of the first `rows` vectors, [rows, T] fp32. `bytes`:
  // as in inputs().
  at::Tensor targets(const at::Tensor& bytes, std::int64_t rows) const;

 private:
  at::Tensor images(const at::Tensor& bytes, std::int64_t rows) const;
  // Returns columns [first, first + count) of the first `rows` vectors.
  at::Tensor columns(
      const at::Tensor& bytes,
      std::int64_t rows,
      std::int64_t first,
      std::int64_t count) const;

  models::ModelSpec spec_;
  c10::Device device_;
  std::int64_t splits_;
  at::Tensor scale_; // [1, C, 1, 1]: 1 / (255 std)
  at::Tensor shift_; // [1, C, 1, 1]: -mean / std
};

// Returns the labels of the batch's samples, [count] int64 on the CPU.
at::Tensor labels_of(const data::Batch& batch);

} // namespace vitrain::engine
