#include "image/resample/nearest.h"

#include <algorithm>

namespace vitrain::image {

std::vector<int>
nearest_pixels(int in, float low, float high, int out, int begin, int count) {
  const double step = static_cast<double>(high - low) / out;
  // Pillow adds up the positions from the first output on, and so do we: a
  // product would be rounded differently.
  double position = low + step * 0.5;
  for (int i = 0; i < begin; ++i) {
    position += step;
  }
  std::vector<int> pixels(static_cast<std::size_t>(count));
  for (int& pixel : pixels) {
    pixel = position < in ? static_cast<int>(position) : -1;
    position += step;
  }
  return pixels;
}

void pick(
    const View& part,
    int left,
    int top,
    const std::vector<int>& columns,
    const std::vector<int>& rows,
    std::uint8_t* out,
    std::size_t stride) {
  for (const int y : rows) {
    if (y < 0) {
      std::fill_n(out, columns.size() * 3, std::uint8_t{0});
    } else {
      const std::uint8_t* row = part.row(y - top);
      std::uint8_t* to = out;
      for (const int x : columns) {
        const std::uint8_t* pixel =
            row + 3 * static_cast<std::ptrdiff_t>(x - left);
        to[0] = x < 0 ? 0 : pixel[0];
        to[1] = x < 0 ? 0 : pixel[1];
        to[2] = x < 0 ? 0 : pixel[2];
        to += 3;
      }
    }
    out += stride;
  }
}

} // namespace vitrain::image
