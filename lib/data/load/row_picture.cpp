#include "data/load/row_picture.h"

#include <vector>

#include "core/error.h"

namespace vitrain::data {

std::optional<image::Image> picture_of(
    const Rows& rows,
    std::int64_t sample,
    const image::Size& size,
    std::int64_t channels) {
  const auto scratch = rows.make_scratch();
  std::vector<std::uint8_t> bytes(rows.bytes());
  try {
    rows.fill({.sample = sample}, bytes, *scratch);
  } catch (const Error&) {
    return std::nullopt; // who wants the reason reads the sample itself
  }
  image::Image picture(size.width, size.height);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    picture.pixels[i] = bytes[channels == 1 ? i / 3 : i];
  }
  return picture;
}

} // namespace vitrain::data
