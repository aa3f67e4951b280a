#include "image/operations/flip.h"

#include <algorithm>

namespace vitrain::image {

void flip_horizontally(const Canvas& canvas) {
  for (int y = 0; y < canvas.height; ++y) {
    std::uint8_t* left = canvas.row(y);
    std::uint8_t* right = left + canvas.row_bytes() - 3;
    for (; left < right; left += 3, right -= 3) {
      std::swap_ranges(left, left + 3, right);
    }
  }
}

void flip_vertically(const Canvas& canvas) {
  for (int y = 0; y < canvas.height / 2; ++y) {
    std::uint8_t* row = canvas.row(y);
    std::swap_ranges(
        row, row + canvas.row_bytes(), canvas.row(canvas.height - 1 - y));
  }
}

} // namespace vitrain::image
