#include "image/jpeg/packed_jpeg.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "core/hash.h"

namespace vitrain::image {
namespace detail {
namespace {

constexpr std::string_view kMagic = "VJC1";
constexpr std::size_t kHashAt = 20;
constexpr std::size_t kHeadersAt = 28;
constexpr std::size_t kRowBytes = 16; // size of a table entry

std::uint32_t u32(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
  return hash64(text_of(bytes));
}

// Returns the number of blocks of a component in a block row.
int blocks_of(const JpegFile& file, int component) {
  return file.mcus_x * file.component[component].h;
}

void check(bool good) {
  VITRAIN_CHECK_DATA(good, "damaged packed JPEG");
}

} // namespace

bool is_packed_jpeg(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= kMagic.size() &&
      std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

std::span<const std::uint8_t> packed_headers(
    std::span<const std::uint8_t> packed) {
  if (packed.size() < kHeadersAt) {
    return {};
  }
  const std::span<const std::uint8_t> rest = packed.subspan(kHeadersAt);
  return rest.first(std::min<std::size_t>(u32(packed, 8), rest.size()));
}

PackedJpeg::PackedJpeg(std::span<const std::uint8_t> bytes) {
  check(is_packed_jpeg(bytes) && bytes.size() >= kHeadersAt + kPackedSlack);
  std::uint64_t hash = 0;
  std::memcpy(&hash, bytes.data() + kHashAt, sizeof(hash));
  VITRAIN_CHECK_DATA(
      hash == hash_of(bytes.subspan(kHeadersAt)),
      "damaged packed JPEG: its checksum is another one");
  size_ = u32(bytes, 4);
  const std::size_t headers = u32(bytes, 8);
  const std::size_t trailer = u32(bytes, 12);
  ones_ = u32(bytes, 16) != 0;
  std::span<const std::uint8_t> rest = bytes.subspan(kHeadersAt);
  check(headers <= rest.size() && trailer <= rest.size() - headers);
  headers_ = rest.first(headers);
  trailer_ = rest.subspan(headers, trailer);
  rest = rest.subspan(headers + trailer);
  const auto file = read_plain_jpeg(headers_, size_);
  check(file && file->scan_begin == headers);
  file_ = *file;
  const std::size_t table = static_cast<std::size_t>(file_.mcus_y) * kRowBytes;
  check(table + kPackedSlack <= rest.size());
  table_ = rest.first(table);
  data_ = rest.subspan(table);
}

void PackedJpeg::read_row(
    const JpegKernels& kernels,
    int y,
    Range columns,
    McuRow& row) const {
  const std::size_t entry = static_cast<std::size_t>(y) * kRowBytes;
  std::size_t blocks = 0;
  for (int c = 0; c < file_.components; ++c) {
    blocks +=
        static_cast<std::size_t>(blocks_of(file_, c)) * file_.component[c].v;
  }
  const std::uint64_t limit = data_.size() - kPackedSlack;
  const std::uint64_t heads = u32(table_, entry);
  const std::uint64_t masks = heads + (blocks + 1) / 2;
  const std::uint64_t nibbles = masks + u32(table_, entry + 4);
  const std::uint64_t bytes = nibbles + u32(table_, entry + 8);
  const std::uint64_t words = bytes + u32(table_, entry + 12);
  check(words <= limit);
  PackedReader reader{
      .heads = data_.data() + heads,
      .masks = data_.data() + masks,
      .nibbles = data_.data() + nibbles,
      .bytes = data_.data() + bytes,
      .words = data_.data() + words,
      .end = data_.data() + limit};
  for (int c = 0; c < file_.components; ++c) {
    const int h = file_.component[c].h;
    const int width = blocks_of(file_, c);
    row.set_columns(c, columns.size() * h, file_.component[c].v);
    reader.prediction = 0;
    for (int v = 0; v < file_.component[c].v; ++v) {
      check(
          kernels.read_packed(reader, columns.begin * h, nullptr) &&
          kernels.read_packed(reader, columns.size() * h, row.group(c, v, 0)) &&
          kernels.read_packed(reader, width - columns.end * h, nullptr));
    }
  }
}

} // namespace detail
} // namespace vitrain::image
