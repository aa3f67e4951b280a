#include "image/operations/grey.h"

#include <cassert>
#include <cstddef>

namespace vitrain::image {

void to_grey(std::span<const std::uint8_t> rgb, std::span<std::uint8_t> grey) {
  assert(rgb.size() == 3 * grey.size());
  // 0.299, 0.587 and 0.114 with 16 fractional bits; their sum is 1.
  constexpr std::uint32_t kRed = 19595;
  constexpr std::uint32_t kGreen = 38470;
  constexpr std::uint32_t kBlue = 7471;
  static_assert(kRed + kGreen + kBlue == 1U << 16);
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const std::uint32_t luma = kRed * rgb[3 * i] + kGreen * rgb[3 * i + 1] +
        kBlue * rgb[3 * i + 2] + (1U << 15);
    grey[i] = static_cast<std::uint8_t>(luma >> 16);
  }
}

} // namespace vitrain::image
