#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "config/sections/data/data.h"
#include "data/load/loader.h"
#include "models/spec.h"

namespace vitrain::engine {

// Moves loader batches to the device and turns them into what the network takes
// and what it should give.
//   images: (byte / 255 - mean) / std per channel, those of the colours in turn
//     where there are more than three; [N, S, S, C] uint8 -> [N, C, S, S] fp32,
//     for residual networks in channels_last. Bytes travel, floats do not: a
//     quarter of the traffic;
//   vectors: [N, F] fp32 as they are.
// Of images with `splits` versions (data::TransformOptions): first the first
// ones of all samples, then the second ones: [splits N, C, S, S].
class Normalizer {
 public:
  Normalizer(
      const config::PreprocessConfig& preprocess,
      const models::ModelSpec& spec,
      c10::Device device,
      std::int64_t splits = 1);

  // The inputs of the first `rows` samples; of `bytes`, the batch's rows on the
  // device: [bytes] uint8.
  at::Tensor inputs(const data::Batch& batch, std::int64_t rows) const;
  at::Tensor inputs(const at::Tensor& bytes, std::int64_t rows) const;
  // The bytes of inputs that are images, as near as they come (noise that was
  // erased in may be outside): [N, S, S, C] uint8 on the CPU.
  at::Tensor bytes(const at::Tensor& inputs) const;
  // The targets of the first `rows` vectors, [rows, T] fp32.
  at::Tensor targets(const at::Tensor& bytes, std::int64_t rows) const;

 private:
  at::Tensor images(const at::Tensor& bytes, std::int64_t rows) const;
  // Some columns of the first `rows` vectors.
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

// Labels of the batch's samples, [count] int64 on the CPU.
at::Tensor labels_of(const data::Batch& batch);

} // namespace vitrain::engine
