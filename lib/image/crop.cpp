#include "image/crop.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vitrain::image {
namespace {

// Python's int(round(x)): half to even, which is the default rounding mode.
int round_half_even(double x) {
  return static_cast<int>(std::nearbyint(x));
}

} // namespace

void resize_and_center_crop(
    const View& view,
    int size,
    double crop_pct,
    Filter filter,
    std::span<std::uint8_t> out) {
  const int shorter = static_cast<int>(std::floor(size / crop_pct));
  // The longer side is int(shorter * long / short), in double as in Python.
  const auto scaled = [&](int side, int other) {
    return static_cast<int>(
        static_cast<double>(static_cast<std::int64_t>(shorter) * side) / other);
  };
  int width = shorter;
  int height = shorter;
  if (view.width < view.height) {
    height = scaled(view.height, view.width);
  } else {
    width = scaled(view.width, view.height);
  }
  const Rect window{
      round_half_even((width - size) / 2.0),
      round_half_even((height - size) / 2.0),
      size,
      size};
  resize_window(view, width, height, filter, std::nullopt, window, out);
}

Rect draw_resized_crop(
    int width,
    int height,
    std::array<double, 2> scale,
    std::array<double, 2> ratio,
    Random& random) {
  const double area = static_cast<double>(width) * height;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * random.uniform(scale[0], scale[1]);
    const double aspect =
        std::exp(random.uniform(std::log(ratio[0]), std::log(ratio[1])));
    const int w = round_half_even(std::sqrt(target * aspect));
    const int h = round_half_even(std::sqrt(target / aspect));
    if (w > 0 && w <= width && h > 0 && h <= height) {
      const auto below = [&](int n) {
        return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
      };
      const int top = below(height - h + 1);
      const int left = below(width - w + 1);
      return {left, top, w, h};
    }
  }
  const double in_ratio = static_cast<double>(width) / height;
  int w = width;
  int h = height;
  if (in_ratio < ratio[0]) {
    h = round_half_even(w / ratio[0]);
  } else if (in_ratio > ratio[1]) {
    w = round_half_even(h * ratio[1]);
  }
  return {(width - w) / 2, (height - h) / 2, w, h};
}

void resized_crop(
    const View& view,
    const Rect& rect,
    int size,
    Filter filter,
    std::span<std::uint8_t> out) {
  resize_window(
      view.crop(rect),
      size,
      size,
      filter,
      std::nullopt,
      {0, 0, size, size},
      out);
}

void padded_crop(
    const View& view,
    int padding,
    int left,
    int top,
    int size,
    std::span<std::uint8_t> out) {
  const std::size_t row_bytes = static_cast<std::size_t>(size) * 3;
  // Columns of the square that lie inside the image: [first, last).
  const int first = std::clamp(padding - left, 0, size);
  const int last = std::clamp(padding + view.width - left, first, size);
  for (int y = 0; y < size; ++y) {
    std::uint8_t* row = out.data() + static_cast<std::size_t>(y) * row_bytes;
    const int source_y = top + y - padding;
    if (source_y < 0 || source_y >= view.height || first == last) {
      std::memset(row, 0, row_bytes);
      continue;
    }
    const auto begin = static_cast<std::size_t>(first) * 3;
    const auto end = static_cast<std::size_t>(last) * 3;
    const int source_x = left + first - padding;
    std::memset(row, 0, begin);
    std::memcpy(
        row + begin,
        view.row(source_y) + static_cast<std::size_t>(source_x) * 3,
        end - begin);
    std::memset(row + end, 0, row_bytes - end);
  }
}

} // namespace vitrain::image
