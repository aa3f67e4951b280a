#include "image/formats/exif.h"

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/formats/formats.h"
#include "image/formats/webp.h"
#include "image/jpeg/packed_jpeg.h"

namespace vitrain::image {
namespace {

using namespace std::string_view_literals;
using detail::Bytes;

// Reads a number of `count` bytes, big-endian unless `little`.
std::uint32_t
number_at(Bytes bytes, std::size_t at, std::size_t count, bool little = false) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8 | bytes[at + (little ? count - 1 - i : i)];
  }
  return value;
}

// Metadata of a file that may contain the orientation.
struct Metadata {
  // A TIFF structure, possibly preceded by "Exif\0\0".
  std::vector<std::uint8_t> exif;
  std::string xmp; // a packet of XML
};

// Adds the metadata of an APP1 segment. Exif data may be spread over several
// segments; of several XMP packets the last one is used.
void add_app1(Bytes body, Metadata& metadata) {
  constexpr std::string_view kExif = "Exif\0\0"sv;
  constexpr std::string_view kXmp = "http://ns.adobe.com/xap/1.0/\0"sv;
  const std::string_view text = text_of(body);
  if (text.starts_with(kExif)) {
    metadata.exif.insert(
        metadata.exif.end(),
        body.begin() + static_cast<std::ptrdiff_t>(kExif.size()),
        body.end());
  } else if (text.starts_with(kXmp)) {
    metadata.xmp = text.substr(kXmp.size());
  }
}

Metadata read_jpeg(Bytes bytes) {
  Metadata metadata;
  std::size_t at = 2;
  while (at + 4 <= bytes.size() && bytes[at] == 0xFF) {
    const int marker = bytes[at + 1];
    if (marker == 0xFF) {
      ++at; // fill bytes
      continue;
    }
    const std::size_t length = number_at(bytes, at + 2, 2);
    if (marker == 0xDA || length < 2 || at + 2 + length > bytes.size()) {
      break;
    }
    if (marker == 0xE1) {
      add_app1(bytes.subspan(at + 4, length - 2), metadata);
    }
    at += 2 + length;
  }
  return metadata;
}

// Adds the XMP packet of an iTXt chunk: keyword, compression flag and method,
// language, translated keyword, text. Language and translated keyword end with
// a zero byte each.
void add_itxt(std::string_view body, Metadata& metadata) {
  constexpr std::string_view kStart = "XML:com.adobe.xmp\0\0\0"sv;
  if (!body.starts_with(kStart)) {
    return;
  }
  body.remove_prefix(kStart.size());
  for (int i = 0; i < 2; ++i) {
    body.remove_prefix(std::min(body.find('\0'), body.size() - 1) + 1);
    if (body.empty()) {
      return;
    }
  }
  metadata.xmp = body;
}

Metadata read_png(Bytes bytes) {
  Metadata metadata;
  std::size_t at = 8;
  // A chunk: length, type, body, checksum.
  while (at + 12 <= bytes.size()) {
    const std::size_t length = number_at(bytes, at, 4);
    const std::string_view kind = text_of(bytes.subspan(at + 4, 4));
    if (length > bytes.size() - at - 12 || kind == "IEND") {
      break;
    }
    const Bytes body = bytes.subspan(at + 8, length);
    if (kind == "eXIf") {
      metadata.exif.assign(body.begin(), body.end());
    } else if (kind == "iTXt") {
      add_itxt(text_of(body), metadata);
    }
    at += 12 + length;
  }
  return metadata;
}

Bytes webp_chunk(const detail::WebpFile& file, const char* kind) {
  WebPChunkIterator chunk{};
  if (WebPDemuxGetChunk(file.get(), kind, 1, &chunk) == 0) {
    return {};
  }
  const Bytes body{chunk.chunk.bytes, chunk.chunk.size};
  WebPDemuxReleaseChunkIterator(&chunk);
  return body; // refers to the file's bytes
}

Metadata read_webp(Bytes bytes) {
  Metadata metadata;
  if (const detail::WebpFile file = detail::open_webp(bytes)) {
    const Bytes exif = webp_chunk(file, "EXIF");
    metadata.exif.assign(exif.begin(), exif.end());
    metadata.xmp = text_of(webp_chunk(file, "XMP "));
  }
  return metadata;
}

// Returns the metadata of a JPEG (segments), a PNG (eXIf, and XMP in an
// uncompressed iTXt chunk) or a WebP (chunks); empty for other formats. Of a
// damaged JPEG or PNG, what precedes the damage.
Metadata read_metadata(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  if (text.starts_with("\xFF\xD8"sv)) {
    return read_jpeg(bytes);
  }
  if (text.starts_with("\x89PNG"sv)) {
    return read_png(bytes);
  }
  if (text.starts_with("RIFF"sv)) {
    return read_webp(bytes);
  }
  return {};
}

// Reads numbers of a TIFF structure in the byte order that it declares.
struct Tiff {
  Bytes bytes;
  bool little = false;

  bool holds(std::size_t at, std::size_t count) const {
    return at <= bytes.size() && count <= bytes.size() - at;
  }
  std::uint32_t number(std::size_t at, std::size_t count) const {
    return number_at(bytes, at, count, little);
  }
};

// Returns the size in bytes of a value of a field type (TIFF 6.0 section 2, and
// additions of Adobe and BigTIFF); 0 for unknown types.
std::size_t type_bytes(std::uint32_t type) {
  constexpr std::uint8_t kBytes[] = {
      0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

// Returns the orientation in the first directory: 0 if it is invalid, nullopt
// without one. Visits no other directories, so links between them cannot cause
// a loop. Like Pillow, stops at a value outside the data.
std::optional<int> orientation_in(Bytes exif) {
  constexpr std::uint32_t kOrientation = 0x0112;
  constexpr std::uint32_t kShort = 3;
  constexpr std::uint32_t kLong = 4;
  constexpr std::string_view kPrefix = "Exif\0\0"sv;
  while (text_of(exif).starts_with(kPrefix)) {
    exif = exif.subspan(kPrefix.size());
  }
  const std::string_view text = text_of(exif);
  if (text.size() < 8 ||
      !(text.starts_with("II*\0"sv) || text.starts_with("MM\0*"sv))) {
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
    // Values of more than four bytes are stored elsewhere, at an offset.
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

// Returns the first digit of tiff:Orientation in an XMP packet, an attribute or
// element; nullopt if there is none.
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

// Returns the orientation of an AVIF file as Pillow does: its rotation and
// mirroring; without these, the orientation in XMP, unless Exif has the tag,
// which only repeats what the file itself specifies.
int orientation_of_avif(Bytes bytes) {
  const int own = detail::avif_orientation(bytes);
  if (own != 1) {
    return own;
  }
  const detail::AvifMetadata metadata = detail::avif_metadata(bytes);
  return orientation_in(Bytes(metadata.exif)) ? 1
                                              : xmp_orientation(metadata.xmp);
}

} // namespace

int exif_orientation(std::span<const std::uint8_t> bytes) {
  if (detail::is_packed_jpeg(bytes)) {
    return exif_orientation(detail::packed_headers(bytes));
  }
  if (detail::is_avif(bytes)) {
    return orientation_of_avif(bytes);
  }
  const Metadata metadata = read_metadata(bytes);
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
  // Computes the source of the first pixel of the result, and the distances
  // from it to the sources of the next pixel to the right and of the next one
  // below. Orientations 2 to 4 keep rows as rows, 5 to 8 transpose.
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

  Image shown = turned ? Image(image.height, image.width)
                       : Image(image.width, image.height);
  shown.warnings = image.warnings;
  shown.clipped = image.clipped;
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
