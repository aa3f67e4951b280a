#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/system/cpu.h"
#include "image/image.h"
#include "options/crop.h"

namespace vitrain::image {

// Version of Pillow whose resizing is reproduced. Versions differ in which pass
// comes first; each pass rounds to 8 bits. k12 (up to 12): columns first. k13:
// rows first if the height shrinks, and by more than twice as many pixels as
// the width (a growing width counts as negative); otherwise columns first.
// (12.2 and 12.3 process rows first for images that are more than 100 times as
// high as wide and shrink in height.)
enum class Pillow { k12, k13 };

// A source region in pixels; edges may be between pixels. In single precision
// as in Pillow, so that results are equal to the last bit.
struct Box {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};

// Description of one resize: `box` of a source image (nullopt: the whole image)
// becomes width x height pixels, of which only `window` is computed. Requires
// positive sizes, a box of positive size inside the image, and a window of
// positive size inside the result; otherwise the functions below throw
// Error(kInternal).
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

// Resizes images; byte-equal to Image.resize((width, height), filter, box=box)
// of the requested Pillow version on RGB: separable filters in 22-bit fixed
// point, rounded to 8 bits between the passes; kNearest as Pillow's affine
// transform. Every instruction set gives the same bytes. Caches the weights of
// recent sizes and its buffers: use one object per thread.
class Resampler {
 public:
  // Throws Error(kInternal) if this machine lacks the instruction set.
  explicit Resampler(Simd simd = best_simd());
  ~Resampler();
  Resampler(Resampler&& other) noexcept;
  Resampler& operator=(Resampler&& other) noexcept;

  // Writes window.height rows of window.width RGB pixels to `out`. The rows
  // start `stride` bytes apart; bytes between them are not written. `part` must
  // contain the pixels of source_window(resizing).
  void resize(
      const Resizing& resizing,
      const ImagePart& part,
      std::uint8_t* out,
      std::size_t stride);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Resizes a single image or a box of it with a new Resampler. For many images,
// reuse one.
Image resize(
    const Image& image,
    int width,
    int height,
    Filter filter,
    std::optional<Box> box = std::nullopt,
    Pillow pillow = Pillow::k12);

} // namespace vitrain::image
