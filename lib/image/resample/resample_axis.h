#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/resample/resample.h"
#include "image/resample/resample_kernels.h"

namespace vitrain::image {

enum class Pass { kColumns, kRows };

// One axis of a resize: the interval [low, high) of `in` pixels becomes `out`
// pixels, of which [begin, begin + count) are wanted, the last one first if
// mirrored.
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

// With kNearest, whatever the pass and the filter: the source pixel that
// Pillow's affine transform takes for each wanted output; -1 where rounding
// leads it out of the image (the pixel is black).
std::vector<int> nearest_pixels(const AxisKey& key);

// All source pixels that the wanted outputs sum.
Span source_span(const AxisKey& key);

// The source pixels of each wanted output and their weights, as Pillow computes
// them, made ready for the kernels.
class Axis {
 public:
  // Reuses the memory of the axis that was here before.
  void compute(const AxisKey& key, const Kernels& kernels);

  const AxisKey& key() const { return key_; }
  Span span() const { return span_; }
  // Refers to this object.
  const Taps& taps() const { return taps_; }
  // One past the last source pixel of output i.
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

// The axes of recent resizes: images of the same size share them.
class AxisCache {
 public:
  // Valid until the sixteenth next call.
  const Axis& get(const AxisKey& key, const Kernels& kernels);

 private:
  struct Entry {
    Axis axis;
    std::uint64_t used = 0; // when; 0: never
  };
  std::array<Entry, 16> entries_;
  std::uint64_t now_ = 0;
};

} // namespace vitrain::image
