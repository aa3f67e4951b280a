#include "core/check.h"
#include "core/hash.h"
#include "image/jpeg/jpeg_encode.h"
#include "image/jpeg/packed_jpeg.h"

namespace vitrain::image {
namespace {

using namespace detail;

void append_u32(std::string& out, std::size_t value) {
  const auto number = static_cast<std::uint32_t>(value);
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Streams of one MCU row, see packed_jpeg.h.
struct PackedRow {
  std::string heads;
  std::string masks;
  std::string nibbles;
  std::string bytes;
  std::string words;
  std::size_t blocks = 0;

  void add(int value, std::size_t position);
  void add_block(const std::int16_t* block, int& prediction);
};

// Adds nonzero value number `position` of a block.
void PackedRow::add(int value, std::size_t position) {
  int nibble = value;
  if (value < -7 || value > 7) {
    nibble = -8;
    if (value < -127 || value > 127) {
      bytes += '\x80';
      const auto word = static_cast<std::int16_t>(value);
      words.append(reinterpret_cast<const char*>(&word), sizeof(word));
    } else {
      bytes += static_cast<char>(value);
    }
  }
  if (position % 2 == 0) {
    nibbles += static_cast<char>(nibble & 15);
  } else {
    nibbles.back() = static_cast<char>(nibbles.back() | nibble << 4);
  }
}

void PackedRow::add_block(const std::int16_t* block, int& prediction) {
  std::uint64_t mask = 0;
  std::size_t position = 0;
  for (std::size_t k = 0; k < 64; ++k) {
    const int at = kZigzag[k];
    int value = block[at / 8 * kRowOfGroup + at % 8];
    if (k == 0) {
      const int difference = value - prediction;
      prediction = value;
      value = difference;
    }
    if (value != 0) {
      mask |= std::uint64_t{1} << k;
      add(value, position++);
    }
  }
  int head = 0;
  for (; mask != 0; mask >>= 8, ++head) {
    masks += static_cast<char>(mask & 255);
  }
  if (blocks++ % 2 == 0) {
    heads += static_cast<char>(head);
  } else {
    heads.back() = static_cast<char>(heads.back() | head << 4);
  }
}

// Returns the content of a packed file after the checksum.
std::string body_of(
    const JpegFile& file,
    std::span<const std::uint8_t> headers,
    std::span<const std::uint8_t> trailer,
    std::vector<PackedRow>& rows) {
  std::string body(headers.begin(), headers.end());
  body.append(trailer.begin(), trailer.end());
  std::size_t at = 0;
  for (const PackedRow& row : rows) {
    append_u32(body, at);
    append_u32(body, row.masks.size());
    append_u32(body, row.nibbles.size());
    append_u32(body, row.bytes.size());
    at += row.heads.size() + row.masks.size() + row.nibbles.size() +
        row.bytes.size() + row.words.size();
  }
  VITRAIN_CHECK(
      at <= UINT32_MAX && std::ssize(rows) == file.mcus_y,
      ExitCode::kInternal,
      "a packed JPEG of {} bytes",
      at);
  for (const PackedRow& row : rows) {
    body += row.heads + row.masks + row.nibbles + row.bytes + row.words;
  }
  body.append(kPackedSlack, '\0');
  return body;
}

// Restores the original file; nullopt if its Huffman tables lack a symbol that
// is needed.
std::optional<std::string> restore(std::span<const std::uint8_t> packed) {
  const PackedJpeg jpeg(packed);
  const JpegFile& file = jpeg.file();
  JpegEncoder encoder(file, jpeg.fills_with_ones());
  const JpegKernels& kernels = jpeg_kernels(best_simd());
  McuRow row;
  for (int y = 0; y < file.mcus_y; ++y) {
    jpeg.read_row(kernels, y, {0, file.mcus_x}, row);
    if (!encoder.add_row(row)) {
      return std::nullopt;
    }
  }
  std::string result(jpeg.headers().begin(), jpeg.headers().end());
  result += encoder.finish();
  result.append(jpeg.trailer().begin(), jpeg.trailer().end());
  return result;
}

} // namespace

std::optional<std::string> pack_jpeg(std::span<const std::uint8_t> bytes) {
  const auto file = read_plain_jpeg(bytes, bytes.size());
  JpegScan scan(jpeg_kernels(best_simd()));
  if (!file || bytes.size() > UINT32_MAX / 8 || !scan.start(*file, bytes)) {
    return std::nullopt;
  }
  std::vector<PackedRow> rows(static_cast<std::size_t>(file->mcus_y));
  McuRow row;
  for (PackedRow& packed : rows) {
    if (!scan.read_row({0, file->mcus_x}, row)) {
      return std::nullopt;
    }
    for (int c = 0; c < file->components; ++c) {
      int prediction = 0;
      const int width = file->mcus_x * file->component[c].h;
      for (int v = 0; v < file->component[c].v; ++v) {
        for (int x = 0; x < width; ++x) {
          packed.add_block(row.group(c, v, 0) + block_offset(x), prediction);
        }
      }
    }
  }
  const std::string body = body_of(
      *file, bytes.first(file->scan_begin), bytes.subspan(scan.end()), rows);
  // The padding bits of segments are not known; tries both values.
  for (const bool ones : {true, false}) {
    std::string packed = "VJC1";
    append_u32(packed, bytes.size());
    append_u32(packed, file->scan_begin);
    append_u32(packed, bytes.size() - scan.end());
    append_u32(packed, ones ? 1 : 0);
    const std::uint64_t hash = hash64(body);
    packed.append(reinterpret_cast<const char*>(&hash), sizeof(hash));
    packed += body;
    // Fails if the file encodes a block differently from JpegEncoder.
    if (restore(bytes_of(packed)) == text_of(bytes)) {
      return packed;
    }
  }
  return std::nullopt;
}

std::string unpack_jpeg(std::span<const std::uint8_t> packed) {
  std::optional<std::string> file = restore(packed);
  VITRAIN_CHECK_DATA(file.has_value(), "damaged packed JPEG");
  return *std::move(file);
}

} // namespace vitrain::image
