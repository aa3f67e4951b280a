#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "unit/image/fixtures.h"

// Image files that lie about themselves.
namespace vitrain::image::forgery {

using Bytes = std::vector<std::uint8_t>;

inline Bytes bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

// Writes `count` bytes of a number, the highest first or last.
inline void put_big(Bytes& bytes, std::size_t at, int count, std::uint32_t v) {
  for (int i = 0; i < count; ++i) {
    bytes.at(at + static_cast<std::size_t>(i)) =
        static_cast<std::uint8_t>(v >> (8 * (count - 1 - i)));
  }
}

inline void
put_little(Bytes& bytes, std::size_t at, int count, std::uint32_t v) {
  for (int i = 0; i < count; ++i) {
    bytes.at(at + static_cast<std::size_t>(i)) =
        static_cast<std::uint8_t>(v >> (8 * i));
  }
}

// --- JPEG
// ---------------------------------------------------------------------

// Where the first segment is whose marker `wanted` accepts: its 0xFF.
inline std::size_t find_segment(const Bytes& jpeg, const auto& wanted) {
  std::size_t at = 2;
  while (!wanted(jpeg.at(at + 1))) {
    at += 2 + (std::size_t{jpeg.at(at + 2)} << 8 | jpeg.at(at + 3));
  }
  return at;
}

inline std::size_t find_frame(const Bytes& jpeg) {
  return find_segment(jpeg, [](int marker) {
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xCC;
  });
}

inline std::size_t find_scan(const Bytes& jpeg) {
  return find_segment(jpeg, [](int marker) { return marker == 0xDA; });
}

inline Bytes with_jpeg_size(Bytes jpeg, int width, int height) {
  const std::size_t at = find_frame(jpeg);
  put_big(jpeg, at + 5, 2, static_cast<std::uint32_t>(height));
  put_big(jpeg, at + 7, 2, static_cast<std::uint32_t>(width));
  return jpeg;
}

inline Bytes with_precision(Bytes jpeg, int bits) {
  jpeg.at(find_frame(jpeg) + 4) = static_cast<std::uint8_t>(bits);
  return jpeg;
}

inline Bytes with_frame_kind(Bytes jpeg, int marker) {
  jpeg.at(find_frame(jpeg) + 1) = static_cast<std::uint8_t>(marker);
  return jpeg;
}

// The third of three channels is no longer declared.
inline Bytes with_two_channels(Bytes jpeg) {
  const auto shorten = [&](std::size_t at, std::size_t counter, int entry) {
    const std::size_t length = std::size_t{jpeg[at + 2]} << 8 | jpeg[at + 3];
    jpeg[at + counter] = 2;
    put_big(
        jpeg,
        at + 2,
        2,
        static_cast<std::uint32_t>(length) - static_cast<std::uint32_t>(entry));
    const auto third = jpeg.begin() +
        static_cast<std::ptrdiff_t>(at + counter) + 1 + 2 * entry;
    jpeg.erase(third, third + entry);
  };
  shorten(find_frame(jpeg), 9, 3);
  shorten(find_scan(jpeg), 4, 2);
  return jpeg;
}

inline Bytes with_segment(const Bytes& jpeg, int marker, const Bytes& body) {
  Bytes longer(jpeg.size() + body.size() + 4);
  const auto behind = std::copy_n(jpeg.begin(), 2, longer.begin()) + 4;
  longer[2] = 0xFF;
  longer[3] = static_cast<std::uint8_t>(marker);
  put_big(longer, 4, 2, static_cast<std::uint32_t>(body.size() + 2));
  std::copy(
      jpeg.begin() + 2,
      jpeg.end(),
      std::copy(body.begin(), body.end(), behind));
  return longer;
}

// All that follows the first scan's marker, again and again.
inline Bytes with_scans(const Bytes& jpeg, int count) {
  const auto scan = jpeg.begin() + static_cast<std::ptrdiff_t>(find_scan(jpeg));
  const auto end = jpeg.end() - 2;
  Bytes longer(jpeg.begin(), end);
  for (int i = 0; i < count; ++i) {
    longer.insert(longer.end(), scan, end);
  }
  longer.insert(longer.end(), end, jpeg.end());
  return longer;
}

// --- PNG
// ----------------------------------------------------------------------

// A PNG chunk with a correct checksum.
inline Bytes chunk(const std::string& kind, const std::string& body) {
  const std::string text = kind + body;
  Bytes chunk(text.size() + 8);
  put_big(chunk, 0, 4, static_cast<std::uint32_t>(body.size()));
  std::copy(text.begin(), text.end(), chunk.begin() + 4);
  const auto checksum = fixtures::crc(std::span(chunk).subspan(4, text.size()));
  put_big(chunk, chunk.size() - 4, 4, checksum);
  return chunk;
}

inline std::string deflated_zeros(std::size_t size) {
  const std::string plain(size, '\0');
  std::string packed(compressBound(size), '\0');
  uLongf length = packed.size();
  compress2(
      reinterpret_cast<Bytef*>(packed.data()),
      &length,
      reinterpret_cast<const Bytef*>(plain.data()),
      size,
      1);
  packed.resize(length);
  return packed;
}

// 8-bit RGB around the packed rows `data`.
inline Bytes
png(std::uint32_t width, std::uint32_t height, const std::string& data) {
  Bytes png = bytes_of("\x89PNG\r\n\x1A\n");
  Bytes header(13);
  put_big(header, 0, 4, width);
  put_big(header, 4, 4, height);
  header[8] = 8;
  header[9] = 2;
  for (const Bytes& part :
       {chunk("IHDR", std::string(header.begin(), header.end())),
        chunk("IDAT", data),
        chunk("IEND", "")}) {
    png.insert(png.end(), part.begin(), part.end());
  }
  return png;
}

// Returns the PNG with one more chunk after the header.
inline Bytes
with_chunk(Bytes png, const std::string& kind, const std::string& body) {
  const Bytes added = chunk(kind, body);
  png.insert(png.begin() + 33, added.begin(), added.end());
  return png;
}

// --- other formats
// -------------------------------------------------------------------

// The canvas of an extended WebP file.
inline Bytes webp_canvas(Bytes webp, int width, int height) {
  put_little(webp, 24, 3, static_cast<std::uint32_t>(width - 1));
  put_little(webp, 27, 3, static_cast<std::uint32_t>(height - 1));
  return webp;
}

// A lossless WebP file of one colour: five prefix codes of one symbol each, so
// that a pixel takes no bit.
inline Bytes webp_lossless(int width, int height) {
  Bytes webp = bytes_of("RIFF....WEBPVP8L....");
  Bytes data = {0x2F};
  data.resize(5);
  put_little(
      data,
      1,
      4,
      static_cast<std::uint32_t>(width - 1) |
          static_cast<std::uint32_t>(height - 1) << 14);
  // No transform, no colour cache, no meta codes; then each code: simple, one
  // symbol of one bit, which is 0.
  std::uint32_t bits = 0;
  for (int code = 0; code < 5; ++code) {
    bits |= 1U << (3 + 4 * code);
  }
  data.resize(9);
  put_little(data, 5, 4, bits);
  data.resize(10);
  put_little(webp, 4, 4, static_cast<std::uint32_t>(4 + 8 + data.size()));
  put_little(webp, 16, 4, static_cast<std::uint32_t>(data.size()));
  webp.insert(webp.end(), data.begin(), data.end());
  return webp;
}

inline Bytes gif_screen(Bytes gif, int width, int height) {
  put_little(gif, 6, 2, static_cast<std::uint32_t>(width));
  put_little(gif, 8, 2, static_cast<std::uint32_t>(height));
  return gif;
}

inline Bytes bmp_size(Bytes bmp, int width, int height) {
  put_little(bmp, 18, 4, static_cast<std::uint32_t>(width));
  put_little(bmp, 22, 4, static_cast<std::uint32_t>(height));
  return bmp;
}

// Sets width, height and rows per strip of a little-endian file.
inline Bytes tiff_size(Bytes tiff, int width, int height) {
  const auto number = [&](std::size_t at, int count) {
    std::size_t value = 0;
    for (int i = 0; i < count; ++i) {
      value |= std::size_t{tiff.at(at + static_cast<std::size_t>(i))}
          << (8 * i);
    }
    return value;
  };
  const std::size_t directory = number(4, 4);
  for (std::size_t i = 0; i < number(directory, 2); ++i) {
    const std::size_t at = directory + 2 + 12 * i;
    const std::size_t tag = number(at, 2);
    if (tag == 256 || tag == 257 || tag == 278) {
      put_little(tiff, at + 2, 2, 4); // 32 bits
      put_little(
          tiff,
          at + 8,
          4,
          static_cast<std::uint32_t>(tag == 256 ? width : height));
    }
  }
  return tiff;
}

// In the box that says the size of the image.
inline Bytes avif_size(Bytes avif, int width, int height) {
  const std::string name = "ispe";
  const auto at = static_cast<std::size_t>(
      std::search(avif.begin(), avif.end(), name.begin(), name.end()) -
      avif.begin());
  put_big(avif, at + 8, 4, static_cast<std::uint32_t>(width));
  put_big(avif, at + 12, 4, static_cast<std::uint32_t>(height));
  return avif;
}

} // namespace vitrain::image::forgery
