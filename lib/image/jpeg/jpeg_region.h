#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "image/image.h"
#include "image/jpeg/jpeg_kernels.h"
#include "image/jpeg/jpeg_scan.h"

namespace vitrain::image::detail {

// Samples of a component inside a window, in memory.
struct Plane {
  std::vector<std::uint8_t> samples;
  std::ptrdiff_t stride = 0;
  int left = 0; // position of the window, in samples of the component
  int top = 0;

  // Returns the address of sample 0 of the component's row y. Only samples
  // inside the window, one more on either side, and kSlack on the right may be
  // accessed.
  std::uint8_t* row(int y) { return samples.data() + offset(y); }

 private:
  std::ptrdiff_t offset(int y) const {
    return kMargin + (y - top) * stride - left;
  }
  static constexpr std::ptrdiff_t kMargin = 64;
  friend class JpegPixels;
};

// The MCUs that a rectangle of pixels depends on.
struct McuWindow {
  Range columns;
  Range rows;
};
McuWindow mcu_window(const JpegFile& file, const Rect& rect);

// Converts coefficients to pixels, MCU row by MCU row. Buffers are reused from
// file to file; use one object per thread.
class JpegPixels {
 public:
  explicit JpegPixels(const JpegKernels& kernels) : kernels_(&kernels) {}

  // `file` must stay valid until finish().
  void start(const JpegFile& file, const Rect& rect);
  const McuWindow& window() const { return window_; }
  // Adds MCU row `y`, counted from the top of the image, with the MCU columns
  // of the window. All rows of the window must be added in order.
  void add_row(int y, McuRow& row);
  // Writes [rect.height, rect.width, 3] after all rows were added; `out` must
  // have room for kSlack more bytes.
  void finish(std::uint8_t* out);

 private:
  void chroma_row(int component, int y, int first, int count);
  void repeat_edges(int component);

  const JpegKernels* kernels_;
  const JpegFile* file_ = nullptr;
  Rect rect_;
  McuWindow window_;
  std::array<std::array<std::int16_t, 64>, 3> steps_{};
  std::array<Plane, 3> planes_;
  std::vector<std::int16_t> sums_;
  std::array<std::vector<std::uint8_t>, 3> chroma_;
};

class PackedJpeg;

// Decodes rectangles of plain JPEG files. One object per thread.
class JpegRegion {
 public:
  explicit JpegRegion(const JpegKernels& kernels)
      : kernels_(&kernels), scan_(kernels), pixels_(kernels) {}

  // Decodes a part of the image; the result equals libjpeg's. `out` receives
  // [rect.height, rect.width, 3] and is enlarged if needed, with kSlack further
  // bytes. Returns false if the part of the file that was read is damaged;
  // `out` is then undefined. `rect` must be inside the image.
  bool decode(
      const JpegFile& file,
      std::span<const std::uint8_t> bytes,
      const Rect& rect,
      std::vector<std::uint8_t>& out);
  // Decodes a part of a packed file. Throws Error(kData) if it is damaged.
  void decode(
      const PackedJpeg& packed,
      const Rect& rect,
      std::vector<std::uint8_t>& out);

 private:
  void finish(const Rect& rect, std::vector<std::uint8_t>& out);

  const JpegKernels* kernels_;
  JpegScan scan_;
  JpegPixels pixels_;
  McuRow row_;
};

} // namespace vitrain::image::detail
