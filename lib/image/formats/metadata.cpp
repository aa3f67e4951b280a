#include "image/formats/metadata.h"

#include <string_view>

#include "image/formats/webp.h"

namespace vitrain::image::detail {
namespace {

using namespace std::string_view_literals;

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t big_endian(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8 | bytes[at + i];
  }
  return value;
}

// Exif data may be spread over several APP1 segments; of XMP the last counts.
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
    const std::size_t length = big_endian(bytes, at + 2, 2);
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

// Keyword, compression flag and method, language, translated keyword, text: the
// middle two end with a zero byte each.
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
  // Length, kind, body, checksum.
  while (at + 12 <= bytes.size()) {
    const std::size_t length = big_endian(bytes, at, 4);
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

Bytes webp_chunk(const WebpFile& file, const char* kind) {
  WebPChunkIterator chunk{};
  if (WebPDemuxGetChunk(file.get(), kind, 1, &chunk) == 0) {
    return {};
  }
  const Bytes body{chunk.chunk.bytes, chunk.chunk.size};
  WebPDemuxReleaseChunkIterator(&chunk);
  return body; // in the file's bytes
}

Metadata read_webp(Bytes bytes) {
  Metadata metadata;
  if (const WebpFile file = open_webp(bytes)) {
    const Bytes exif = webp_chunk(file, "EXIF");
    metadata.exif.assign(exif.begin(), exif.end());
    metadata.xmp = text_of(webp_chunk(file, "XMP "));
  }
  return metadata;
}

} // namespace

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

} // namespace vitrain::image::detail
