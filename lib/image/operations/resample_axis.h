#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/operations/resample.h"
#include "image/operations/resample_kernels.h"

namespace vitrain::image {

enum class Pass { kColumns, kRows };

// Parameters of one axis of a resize: the interval [low, high) of `in` source
// pixels becomes `out` pixels, of which only [begin, begin + count) are
// computed; in reverse order if mirrored.
struct AxisKey {
  Pass pass = Pass::kColumns;
  int in = 0;
  float low = 0;
  float high = 0;
  int out = 0;
  int begin = 0;
  int count = 0;
  Filter filter = Filter::kBicubic;
  bool mirrored = false;

  bool operator==(const AxisKey&) const = default;
};

// Source pixels [first, last).
struct Span {
  int first = 0;
  int last = 0;
};

// For Filter::kNearest: returns the source pixel of each output pixel that is
// computed, as in Pillow's affine transform; -1 if rounding leads outside the
// image (the pixel is black). Ignores key.pass and key.filter.
std::vector<int> nearest_pixels(const AxisKey& key);

// Returns the source pixels on which the computed output pixels depend.
Span source_span(const AxisKey& key);

// Source pixels and weights of each computed output pixel, as Pillow computes
// them, in the format of the kernels.
class Axis {
 public:
  // Computes the axis; reuses the memory of the previous one.
  void compute(const AxisKey& key, const Kernels& kernels);

  const AxisKey& key() const { return key_; }
  Span span() const { return span_; }
  // The result refers to memory of this object.
  const Taps& taps() const { return taps_; }
  // Returns one past the last source pixel of the i-th computed output pixel.
  int end_of(int i) const {
    const auto at = static_cast<std::size_t>(i);
    return span_.first + first_[at] + counts_[at];
  }

 private:
  // Aligned memory for the kernels.
  struct alignas(64) Line {
    std::uint32_t words[16];
  };
  struct alignas(64) Numbers {
    double numbers[8];
  };

  AxisKey key_;
  Span span_;
  Taps taps_;
  std::vector<double> centers_;
  std::vector<Numbers> exact_;
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> counts_;
  std::vector<std::int32_t> weights_;
  std::vector<Line> prepared_;
};

// Cache of the axes of recent resizes; images of the same size share them.
class AxisCache {
 public:
  // Returns the axis for a key; valid until the sixteenth next call. `kernels`
  // must be the same in all calls.
  const Axis& get(const AxisKey& key, const Kernels& kernels);

 private:
  struct Entry {
    Axis axis;
    std::uint64_t used = 0; // time of the last use; 0: never
  };
  std::array<Entry, 16> entries_;
  std::uint64_t now_ = 0;
};

} // namespace vitrain::image
