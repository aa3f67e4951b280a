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
  // Those that begin at each of the places, [N] int64: [N, C, H, W] fp32.
  at::Tensor from(const at::Tensor& places) const;
  // Those of an image, [C, H, W], not copied.
  at::Tensor of(const data::Erasing& erasing) const;

 private:
  std::vector<std::int64_t> image_; // C, H, W
  at::Tensor numbers_;
};

// Fills boxes of an image [C, H, W] fp32 in place, one after the other. For
// CPUs: what it takes is a matter of the boxes.
void erase_boxes(
    const at::Tensor& image,
    const data::Erasing& erasing,
    config::EraseMode mode,
    const EraseNumbers& numbers);

// The same for a batch, with the same bits, by a number of kernels that does
// not depend on what was drawn. For GPUs: what it needs of the host are two
// tensors.
class EraseTable {
 public:
  // One erasing for each row, of at most as many boxes as `erase` allows.
  // `upload` returns a tensor of the host's on the device.
  EraseTable(
      const std::vector<data::Erasing>& rows,
      const config::EraseConfig& erase,
      std::int64_t channels,
      const std::function<at::Tensor(const at::Tensor&)>& upload);

  // What is uploaded, in all, and its bytes for each row.
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
