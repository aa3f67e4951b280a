#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <vector>

#include "core/check.h"
#include "image/formats/byte_reader.h"
#include "image/formats/formats.h"

namespace vitrain::image::detail {
namespace {

using Colour = std::array<std::uint8_t, 3>;

Colour grey(std::uint32_t level) {
  Colour colour;
  colour.fill(static_cast<std::uint8_t>(level));
  return colour;
}

enum Compression : std::uint32_t { kRaw = 0, kRle8 = 1, kRle4 = 2, kMasks = 3 };

struct Info {
  Size size;
  bool top_down = false;
  int bits = 0; // bits per pixel
  std::uint32_t compression = kRaw;
  std::uint32_t colours = 0; // number of colours in the palette
  std::size_t colour_bytes = 4; // bytes per palette entry
  std::array<std::uint32_t, 3> masks{}; // bit masks of red, green, blue
  std::size_t palette_at = 0;
  std::size_t pixels_at = 0;
};

// Reads the header of OS/2 1.x: 16-bit sizes, palette entries of three bytes.
void read_core_header(ByteReader& reader, Info& info) {
  info.size.width = reader.u16_little();
  info.size.height = reader.u16_little();
  reader.take(2); // planes
  info.bits = reader.u16_little();
  info.colour_bytes = 3;
}

void read_info_header(ByteReader& reader, Info& info, std::uint32_t length) {
  info.size.width = reader.u32_little();
  const auto height = static_cast<std::int32_t>(reader.u32_little());
  info.top_down = height < 0;
  info.size.height = info.top_down ? -std::int64_t{height} : height;
  reader.take(2); // planes
  info.bits = reader.u16_little();
  info.compression = reader.u32_little();
  reader.take(12); // size of the data, resolution
  info.colours = reader.u32_little();
  reader.take(4); // important colours
  // The masks follow after a header of 40 bytes, or are part of a longer one.
  if (info.compression == kMasks || length > 40) {
    for (std::uint32_t& mask : info.masks) {
      mask = reader.u32_little();
    }
  }
}

Info read_info(ByteReader& reader) {
  reader.take(10); // the signature, sizes
  Info info;
  info.pixels_at = reader.u32_little();
  const std::uint32_t length = reader.u32_little();
  switch (length) {
    case 12:
      read_core_header(reader, info);
      break;
    case 40: // Windows 3
    case 52:
    case 56:
    case 64: // OS/2 2.x
    case 108: // Windows 4
    case 124: // Windows 5
      read_info_header(reader, info, length);
      break;
    default:
      fail_data(
          "unsupported BMP: its header has {} bytes; 12, 40, 52, 56, 64, 108 "
          "and 124 are known",
          length);
  }
  info.palette_at = std::max<std::size_t>(reader.position(), 14 + length);
  if (info.colours == 0 && info.bits <= 8) {
    info.colours = 1U << info.bits;
  }
  // Some writers give an offset of the pixels that does not include the
  // palette.
  if (info.pixels_at == 14 + length && info.bits <= 8) {
    info.pixels_at += 4 * std::size_t{info.colours};
  }
  if (info.pixels_at == 0) {
    info.pixels_at = info.palette_at + info.colour_bytes * info.colours;
  }
  return info;
}

void check_kind(const Info& info) {
  constexpr int kDepths[] = {1, 4, 8, 16, 24, 32};
  VITRAIN_CHECK_DATA(
      std::find(std::begin(kDepths), std::end(kDepths), info.bits) !=
          std::end(kDepths),
      "unsupported BMP: {} bits per pixel",
      info.bits);
  const bool fits = info.compression == kRaw ||
      (info.compression == kRle8 && info.bits == 8) ||
      (info.compression == kRle4 && info.bits == 4) ||
      (info.compression == kMasks && info.bits >= 16);
  VITRAIN_CHECK_DATA(
      fits,
      "unsupported BMP: compression {} with {} bits per pixel",
      info.compression,
      info.bits);
}

// Reads the palette. As in Pillow, indices beyond it are black, or continue the
// ramp if the palette is a grey ramp.
std::vector<Colour> read_palette(ByteReader& reader, const Info& info) {
  VITRAIN_CHECK_DATA(
      info.colours <= 65536,
      "damaged BMP: its palette claims {} colours",
      info.colours);
  reader.seek(info.palette_at);
  std::vector<Colour> palette(256);
  bool ramp = true;
  for (std::uint32_t i = 0; i < info.colours; ++i) {
    const Bytes entry = reader.take(info.colour_bytes);
    if (i < palette.size()) {
      palette[i] = {entry[2], entry[1], entry[0]};
      ramp = ramp && palette[i] == grey(i);
    }
  }
  for (std::uint32_t i = info.colours; ramp && i < palette.size(); ++i) {
    palette[i] = grey(i);
  }
  return palette;
}

// Positions of the channels in a pixel.
struct Layout {
  // For 16 bits: lowest bit and largest value of red, green and blue. For 24
  // and 32 bits: first bit of their bytes.
  std::array<int, 3> shifts{};
  std::array<int, 3> largest{255, 255, 255};
};

Layout layout_of(const Info& info) {
  using Masks = std::array<std::uint32_t, 3>;
  const bool given = info.compression == kMasks && info.masks != Masks{};
  if (info.bits == 16) {
    const Masks masks = given ? info.masks : Masks{0x7C00, 0x3E0, 0x1F};
    if (masks == Masks{0x7C00, 0x3E0, 0x1F}) {
      return {.shifts = {10, 5, 0}, .largest = {31, 31, 31}};
    }
    if (masks == Masks{0xF800, 0x7E0, 0x1F}) {
      return {.shifts = {11, 5, 0}, .largest = {31, 63, 31}};
    }
  } else {
    const Masks masks = given ? info.masks : Masks{0xFF0000, 0xFF00, 0xFF};
    const auto whole_byte = [&](std::uint32_t mask) {
      return mask == 0xFFU || mask == 0xFF00U || mask == 0xFF0000U ||
          (mask == 0xFF000000U && info.bits == 32);
    };
    if (std::all_of(masks.begin(), masks.end(), whole_byte)) {
      Layout layout;
      for (std::size_t c = 0; c < 3; ++c) {
        layout.shifts[c] = std::countr_zero(masks[c]);
      }
      return layout;
    }
  }
  fail_data(
      "unsupported BMP: channel masks {:x}, {:x}, {:x} in {} bits",
      info.masks[0],
      info.masks[1],
      info.masks[2],
      info.bits);
}

std::uint8_t* row_of(Image& image, const Info& info, std::int64_t y) {
  const std::int64_t row = info.top_down ? y : info.size.height - 1 - y;
  return image.pixels.data() + row * info.size.width * 3;
}

// Converts one row of pixels of 16 to 32 bits to RGB.
void put_direct(
    Bytes row,
    int bits,
    const Layout& layout,
    std::int64_t width,
    std::uint8_t* out) {
  const int size = bits / 8;
  const std::uint8_t* in = row.data();
  for (std::int64_t x = 0; x < width; ++x, in += size, out += 3) {
    std::uint32_t pixel = 0;
    for (int i = 0; i < size; ++i) {
      pixel |= std::uint32_t{in[i]} << (8 * i);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      const auto largest = static_cast<std::uint32_t>(layout.largest[c]);
      out[c] = static_cast<std::uint8_t>(
          ((pixel >> layout.shifts[c]) & largest) * 255 / largest);
    }
  }
}

// Converts one row of indices of 1, 4 or 8 bits to RGB; the first index is in
// the highest bits.
void put_indices(
    Bytes row,
    int bits,
    const std::vector<Colour>& palette,
    std::int64_t width,
    std::uint8_t* out) {
  const std::int64_t in_byte = 8 / bits;
  const unsigned mask = (1U << bits) - 1;
  for (std::int64_t x = 0; x < width; ++x, out += 3) {
    const auto shift = bits * static_cast<int>(in_byte - 1 - x % in_byte);
    const unsigned index =
        row[static_cast<std::size_t>(x / in_byte)] >> shift & mask;
    std::memcpy(out, palette[index].data(), 3);
  }
}

// Throws Error(kData) if the file is too short for the pixels. Rows are padded
// to multiples of four bytes; the last one may lack the padding.
void check_plausible(const Info& info, const ByteReader& reader) {
  const std::int64_t row = (info.size.width * info.bits + 7) / 8;
  const std::int64_t stride = (row + 3) / 4 * 4;
  VITRAIN_CHECK_DATA(
      stride * (info.size.height - 1) + row <=
          static_cast<std::int64_t>(reader.left()),
      "damaged BMP: the file is truncated: {} x {} pixels need more bytes",
      info.size.width,
      info.size.height);
}

void read_rows(ByteReader& reader, const Info& info, Image& image) {
  const bool indexed = info.bits <= 8;
  const auto palette =
      indexed ? read_palette(reader, info) : std::vector<Colour>{};
  const Layout layout = indexed ? Layout{} : layout_of(info);
  const auto row_bytes =
      static_cast<std::size_t>((info.size.width * info.bits + 7) / 8);
  const std::size_t padding = (4 - row_bytes % 4) % 4;
  reader.seek(info.pixels_at);
  for (std::int64_t y = 0; y < info.size.height; ++y) {
    const Bytes row = reader.take(row_bytes);
    std::uint8_t* out = row_of(image, info, y);
    if (indexed) {
      put_indices(row, info.bits, palette, info.size.width, out);
    } else {
      put_direct(row, info.bits, layout, info.size.width, out);
    }
    if (y + 1 < info.size.height) {
      reader.take(padding);
    }
  }
}

// Decodes run-length encoded pixels (Microsoft's "Bitmap Compression"): runs of
// one or two indices, literal indices, and jumps over pixels of index 0.
class RunLengths {
 public:
  RunLengths(ByteReader& reader, const Info& info, Image& image)
      : reader_(reader),
        info_(info),
        image_(image),
        palette_(read_palette(reader, info)),
        half_bytes_(info.compression == kRle4) {
    reader_.seek(info.pixels_at);
  }

  void decode() {
    fill_with(image_.pixels, palette_[0]);
    while (!complete()) {
      const int count = reader_.u8();
      const int value = reader_.u8();
      if (count > 0) {
        for (int i = 0; i < count; ++i) {
          put(nth(i, value));
        }
      } else if (value == 0) {
        x_ = 0;
        ++y_;
      } else if (value == 1) {
        fail_data("damaged BMP: its data end before the last pixel");
      } else if (value == 2) {
        x_ += reader_.u8();
        y_ += reader_.u8();
      } else {
        put_literals(value);
      }
    }
  }

 private:
  bool complete() const {
    return y_ >= info_.size.height ||
        (y_ == info_.size.height - 1 && x_ >= info_.size.width);
  }

  // Returns index i of a run; RLE4 has two indices per byte, the first one in
  // the high half.
  int nth(int i, int value) const {
    if (!half_bytes_) {
      return value;
    }
    return i % 2 == 0 ? value >> 4 : value & 15;
  }

  // Pixels beyond the end of a row are dropped.
  void put(int index) {
    if (x_ < info_.size.width && y_ < info_.size.height) {
      std::memcpy(
          row_of(image_, info_, y_) + x_ * 3,
          palette_[static_cast<std::size_t>(index)].data(),
          3);
      ++x_;
    }
  }

  void put_literals(int count) {
    const int bytes = half_bytes_ ? (count + 1) / 2 : count;
    const Bytes values = reader_.take(static_cast<std::size_t>(bytes));
    for (int i = 0; i < count; ++i) {
      const int value =
          values[static_cast<std::size_t>(half_bytes_ ? i / 2 : i)];
      put(nth(i, value));
    }
    if (bytes % 2 != 0 && reader_.left() > 0) {
      reader_.take(1); // padding to a whole number of 16-bit words
    }
  }

  ByteReader& reader_;
  const Info& info_;
  Image& image_;
  std::vector<Colour> palette_;
  bool half_bytes_;
  std::int64_t x_ = 0;
  std::int64_t y_ = 0; // row in the file's order
};

} // namespace

Size bmp_size(Bytes bytes) {
  ByteReader reader(bytes, "BMP");
  return read_info(reader).size;
}

Image decode_bmp(Bytes bytes, const DecodeOptions& options) {
  ByteReader reader(bytes, "BMP");
  const Info info = read_info(reader);
  check_kind(info);
  check_size(info.size, options);
  if (info.compression == kRle8 || info.compression == kRle4) {
    check_density(info.size, bytes.size());
    Image image = blank(info.size);
    RunLengths(reader, info, image).decode();
    return image;
  }
  reader.seek(info.pixels_at);
  check_plausible(info, reader);
  Image image = blank(info.size);
  read_rows(reader, info, image);
  return image;
}

} // namespace vitrain::image::detail
