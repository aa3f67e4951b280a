#include "data/load/row_picture.h"

#include <vector>

#include "core/error.h"
#include "image/operations/channels.h"

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
    return std::nullopt; // callers that need the reason read the sample
  }
  return image::in_colours(
      bytes, size.width, size.height, static_cast<int>(channels));
}

} // namespace vitrain::data
