#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "config/sections/erase.h"
#include "data/augment/erase.h"
#include "models/families/spec.h"

namespace vitrain::engine {

// Random numbers that fill boxes pixel by pixel (EraseMode::kPixel). About a
// million numbers are generated once on the host; each image reads a
// consecutive range of them that starts at a random position. So nothing is
// generated on the device, and all devices use the same numbers.
class EraseNumbers {
 public:
  EraseNumbers() = default; // empty, must not be used
  EraseNumbers(
      std::uint64_t seed,
      const models::ModelSpec& spec,
      c10::Device device);

  // Returns the position of the first of an image's numbers.
  static std::int64_t place(const data::Erasing& erasing);
  // Returns the numbers that start at each of `places` [N] int64: [N, C, H, W]
  // fp32.
  at::Tensor from(const at::Tensor& places) const;
  // Returns an image's numbers [C, H, W] without a copy.
  at::Tensor of(const data::Erasing& erasing) const;

 private:
  std::vector<std::int64_t> image_; // C, H, W
  at::Tensor numbers_;
};

// Fills the boxes of an image [C, H, W] fp32 in place, in order. `numbers` is
// used only with kPixel. For CPUs: the time depends only on the size of the
// boxes.
void erase_boxes(
    const at::Tensor& image,
    const data::Erasing& erasing,
    config::EraseMode mode,
    const EraseNumbers& numbers);

// Fills the boxes of a batch, with results bit-equal to erase_boxes(). For
// GPUs: the number of kernels depends on erasing_count but not on the batch,
// and only one or two tensors are uploaded.
class EraseTable {
 public:
  // `rows`: one erasing per image, each with at most erase.erasing_count boxes.
  // `upload` copies a host tensor to the device.
  EraseTable(
      const std::vector<data::Erasing>& rows,
      const config::EraseConfig& erase,
      std::int64_t channels,
      const std::function<at::Tensor(const at::Tensor&)>& upload);

  // Maximum number of tensors that a table uploads; row_bytes() returns the
  // maximum of their bytes per row together.
  static constexpr std::int64_t kTensors = 2;
  static std::int64_t row_bytes(
      const config::EraseConfig& erase,
      std::int64_t channels);

  // Fills the boxes of images [N, C, H, W] fp32 in place.
  void fill(at::Tensor images, const EraseNumbers& numbers) const;

 private:
  config::EraseMode mode_;
  at::Tensor edges_; // [N, boxes, 4] fp32: top, bottom, left, right
  // kRand: colours [N, boxes, C] fp32; kPixel: start positions in the numbers,
  // [N] int64; kConst: undefined.
  at::Tensor filling_;
};

} // namespace vitrain::engine
