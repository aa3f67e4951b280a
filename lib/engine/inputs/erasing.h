#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "config/sections/data/erase.h"
#include "data/augment/erase.h"
#include "models/spec.h"

namespace vitrain::engine {

// The numbers that boxes are filled with pixel by pixel (EraseMode::kPixel).
// Those of an image are independent of one another; an image takes as many as
// it has, of about a million that are drawn once, from a place of its own. So
// nothing is drawn on the device, and all devices have the same numbers.
class EraseNumbers {
 public:
  EraseNumbers() = default; // of no use
  EraseNumbers(
      std::uint64_t seed,
      const models::ModelSpec& spec,
      c10::Device device);

  // Where an image's begin.
  static std::int64_t place(const data::Erasing& erasing);
  // Returns noise that begins at each of `places` [N] int64: [N, C, H, W] fp32.
  at::Tensor from(const at::Tensor& places) const;
  // Returns an image's noise [C, H, W] without a copy.
  at::Tensor of(const data::Erasing& erasing) const;

 private:
  std::vector<std::int64_t> image_; // C, H, W
  at::Tensor numbers_;
};

// Fills boxes of an image [C, H, W] fp32 in place, one after the other. For
// CPUs: its time depends on the boxes only.
void erase_boxes(
    const at::Tensor& image,
    const data::Erasing& erasing,
    config::EraseMode mode,
    const EraseNumbers& numbers);

// Fills boxes of a batch, bit-equal to erase_boxes(), with a fixed number of
// kernels. For GPUs: it needs two tensors from the host.
class EraseTable {
 public:
  // One erasing per row, with at most the number of boxes that `erase` allows.
  // `upload` copies a host tensor to the device.
  EraseTable(
      const std::vector<data::Erasing>& rows,
      const config::EraseConfig& erase,
      std::int64_t channels,
      const std::function<at::Tensor(const at::Tensor&)>& upload);

  // Number of uploaded tensors, and their bytes per row.
  static constexpr std::int64_t kTensors = 2;
  static std::int64_t row_bytes(
      const config::EraseConfig& erase,
      std::int64_t channels);

  // Fills the boxes of images [N, C, H, W] fp32 in place.
  void fill(at::Tensor images, const EraseNumbers& numbers) const;

 private:
  config::EraseMode mode_;
  at::Tensor edges_; // [N, boxes, 4] fp32, see erasing.cpp
  at::Tensor filling_; // colours [N, boxes, C] fp32, or places [N] int64
};

} // namespace vitrain::engine
