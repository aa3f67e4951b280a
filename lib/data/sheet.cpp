#include "data/sheet.h"

#include <algorithm>

namespace vitrain::data {
namespace {

constexpr int kGap = 2; // pixels
constexpr std::uint8_t kGapGrey = 128;

} // namespace

image::Image contact_sheet(
    std::span<const std::uint8_t> rows,
    std::int64_t count,
    int size,
    int channels,
    int columns) {
  const int lines = static_cast<int>((count + columns - 1) / columns);
  image::Image sheet;
  sheet.width = columns * (size + kGap) + kGap;
  sheet.height = lines * (size + kGap) + kGap;
  sheet.pixels.assign(
      static_cast<std::size_t>(sheet.width) *
          static_cast<std::size_t>(sheet.height) * 3,
      kGapGrey);
  const std::uint8_t* from = rows.data();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto left = kGap + (i % columns) * (size + kGap);
    const auto top = kGap + (i / columns) * (size + kGap);
    for (int y = 0; y < size; ++y) {
      std::uint8_t* to =
          sheet.pixels.data() + ((top + y) * sheet.width + left) * 3;
      for (int x = 0; x < size; ++x) {
        for (int c = 0; c < 3; ++c) {
          to[3 * x + c] = from[std::min(c, channels - 1)];
        }
        from += channels;
      }
    }
  }
  return sheet;
}

} // namespace vitrain::data
