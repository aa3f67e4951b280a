#include "image/formats/exif.h"

#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "image/formats/metadata.h"
#include "image/jpeg/packed_jpeg.h"

namespace vitrain::image {
namespace {

using namespace std::string_view_literals;
using detail::Bytes;

// Numbers of a TIFF structure, in the byte order that it declares.
struct Tiff {
  Bytes bytes;
  bool little = false;

  bool holds(std::size_t at, std::size_t count) const {
    return at <= bytes.size() && count <= bytes.size() - at;
  }
  std::uint32_t number(std::size_t at, std::size_t count) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value = value << 8 | bytes[at + (little ? count - 1 - i : i)];
    }
    return value;
  }
};

// Bytes of one value of a field type (TIFF 6.0 section 2, and two of Adobe's
// and BigTIFF's); 0 for others.
std::size_t type_bytes(std::uint32_t type) {
  constexpr std::uint8_t kBytes[] = {
      0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

// The orientation in the first directory. Other directories are not visited, so
// links between them cannot make a circle. Like Pillow it stops at a value that
// lies outside the data.
std::optional<int> orientation_in(Bytes exif) {
  constexpr std::uint32_t kOrientation = 0x0112;
  constexpr std::uint32_t kShort = 3;
  constexpr std::uint32_t kLong = 4;
  constexpr std::string_view kPrefix = "Exif\0\0"sv;
  const auto starts_with = [&](std::string_view start) {
    return exif.size() >= start.size() &&
        std::memcmp(exif.data(), start.data(), start.size()) == 0;
  };
  while (starts_with(kPrefix)) {
    exif = exif.subspan(kPrefix.size());
  }
  if (exif.size() < 8 || !(starts_with("II*\0"sv) || starts_with("MM\0*"sv))) {
    return std::nullopt;
  }
  const Tiff tiff{exif, exif[0] == 'I'};
  std::size_t at = tiff.number(4, 4);
  if (!tiff.holds(at, 2)) {
    return std::nullopt;
  }
  std::optional<int> found;
  const std::uint32_t entries = tiff.number(at, 2);
  at += 2;
  for (std::uint32_t i = 0; i < entries && tiff.holds(at, 12); ++i, at += 12) {
    const std::uint32_t type = tiff.number(at + 2, 2);
    const std::uint64_t count = tiff.number(at + 4, 4);
    const std::uint64_t size = count * type_bytes(type);
    // Values of more than four bytes are elsewhere.
    const std::size_t value_at = size > 4 ? tiff.number(at + 8, 4) : at + 8;
    if (!tiff.holds(value_at, size)) {
      break;
    }
    if (tiff.number(at, 2) == kOrientation && size > 0) {
      const bool whole = type == kShort || type == kLong;
      const std::uint32_t value =
          whole ? tiff.number(value_at, type_bytes(type)) : 0;
      found = value <= 8 ? static_cast<int>(value) : 0;
    }
  }
  return found;
}

// tiff:Orientation as attribute or element, where Exif does not say.
std::optional<int> orientation_in(std::string_view xmp) {
  constexpr std::string_view kName = "tiff:Orientation"sv;
  for (std::size_t at = xmp.find(kName); at != xmp.npos;
       at = xmp.find(kName, at + 1)) {
    std::string_view rest = xmp.substr(at + kName.size());
    if (rest.starts_with("=\"")) {
      rest.remove_prefix(2);
    } else if (rest.starts_with(">")) {
      rest.remove_prefix(1);
    } else {
      continue;
    }
    if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
      return rest[0] - '0';
    }
  }
  return std::nullopt;
}

} // namespace

int exif_orientation(std::span<const std::uint8_t> bytes) {
  if (detail::is_packed_jpeg(bytes)) {
    return exif_orientation(detail::packed_headers(bytes));
  }
  if (detail::is_avif(bytes)) {
    return detail::avif_orientation(bytes);
  }
  const detail::Metadata metadata = detail::read_metadata(bytes);
  std::optional<int> found = orientation_in(metadata.exif);
  if (!found) {
    found = orientation_in(std::string_view(metadata.xmp));
  }
  return found && *found >= 1 && *found <= 8 ? *found : 1;
}

int xmp_orientation(std::string_view packet) {
  const int found = orientation_in(packet).value_or(1);
  return found >= 1 && found <= 8 ? found : 1;
}

Image oriented(Image image, int orientation) {
  if (orientation < 2 || orientation > 8) {
    return image;
  }
  // Where the pixel that is shown first comes from, and how far the next one to
  // the right and the next one below are: 2 to 4 keep rows, 5 to 8 make columns
  // of them.
  const bool turned = orientation >= 5;
  const bool from_right = orientation == 2 || orientation == 3 ||
      orientation == 7 || orientation == 8;
  const bool from_bottom = orientation == 3 || orientation == 4 ||
      orientation == 6 || orientation == 7;
  const std::ptrdiff_t width = image.width;
  const std::ptrdiff_t height = image.height;
  const std::ptrdiff_t along_row = from_right ? -1 : 1;
  const std::ptrdiff_t along_column = from_bottom ? -width : width;
  const std::ptrdiff_t right = turned ? along_column : along_row;
  const std::ptrdiff_t down = turned ? along_row : along_column;
  const std::ptrdiff_t first =
      (from_right ? width - 1 : 0) + (from_bottom ? (height - 1) * width : 0);

  Image shown;
  shown.width = turned ? image.height : image.width;
  shown.height = turned ? image.width : image.height;
  shown.warnings = image.warnings;
  shown.pixels.resize(image.pixels.size());
  std::uint8_t* out = shown.pixels.data();
  for (int y = 0; y < shown.height; ++y) {
    std::ptrdiff_t from = first + y * down;
    for (int x = 0; x < shown.width; ++x, from += right, out += 3) {
      std::memcpy(out, image.pixels.data() + from * 3, 3);
    }
  }
  return shown;
}

} // namespace vitrain::image
