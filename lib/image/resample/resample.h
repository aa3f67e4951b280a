#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/system/cpu.h"
#include "image/image.h"
#include "options/crop.h"

namespace vitrain::image {

// Version of Pillow whose resizing is reproduced. Versions differ in the first
// pass; each pass rounds to 8 bits. k12 (up to 12): columns first. k13: rows
// first if the height shrinks by more than twice as many pixels as the width (a
// growing width counts as negative), otherwise columns first. (12.2 and 12.3
// process rows first for images that are more than 100 times as high as wide
// and shrink in height.)
enum class Pillow { k12, k13 };

// A source region in pixels; edges may lie between pixels. Single precision
// because Pillow's is, and results are equal to the last bit.
struct Box {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};

// One resize: `box` of a source image (all of it, if absent) becomes width x
// height pixels, of which only `window` is computed. Requires positive sizes, a
// box inside the image with a positive size, a window inside the result.
struct Resizing {
  int source_width = 0;
  int source_height = 0;
  int width = 0;
  int height = 0;
  Filter filter = Filter::kBicubic;
  std::optional<Box> box;
  Rect window;
  bool mirrored = false; // the window's columns are written right to left
  Pillow pillow = Pillow::k12;
};

// Returns the source pixels on which the window depends; only these need to be
// decoded.
Rect source_window(const Resizing& resizing);

// Resizes images, byte-equal to Image.resize((width, height), filter, box=box)
// on RGB of the Pillow asked for: separable filters in 22-bit fixed point,
// rounded to 8 bits between the passes; kNearest as its affine transform. Every
// instruction set gives the same bytes. Keeps the weights of recent sizes and
// its buffers from one image to the next: one object per thread.
class Resampler {
 public:
  // Throws Error(kInternal) for an instruction set that this machine lacks.
  explicit Resampler(Simd simd = best_simd());
  ~Resampler();
  Resampler(Resampler&& other) noexcept;
  Resampler& operator=(Resampler&& other) noexcept;

  // `part` holds at least the pixels of source_window(resizing). Writes
  // window.height rows of window.width RGB pixels to `out`, `stride` bytes
  // apart; writes no byte between the rows.
  void resize(
      const Resizing& resizing,
      const ImagePart& part,
      std::uint8_t* out,
      std::size_t stride);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The whole image, scaled; for a single one.
Image resize(
    const Image& image,
    int width,
    int height,
    Filter filter,
    std::optional<Box> box = std::nullopt,
    Pillow pillow = Pillow::k12);

} // namespace vitrain::image
