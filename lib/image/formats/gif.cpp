#include <array>
#include <cstring>
#include <optional>

#include "core/check.h"
#include "image/formats/byte_reader.h"
#include "image/formats/formats.h"

namespace vitrain::image::detail {
namespace {

// A colour for every index. As in Pillow, indices without a colour in the file
// are grey levels in a grey image and black in a coloured one.
using Palette = std::array<std::array<std::uint8_t, 3>, 256>;

Palette grey_palette() {
  Palette palette;
  for (std::size_t i = 0; i < palette.size(); ++i) {
    palette[i].fill(static_cast<std::uint8_t>(i));
  }
  return palette;
}

// Reads a colour table; its size is in the low three bits of `flags`.
Palette read_palette(ByteReader& reader, int flags) {
  const Palette grey = grey_palette();
  const std::size_t count = std::size_t{2} << (flags & 7);
  const auto colours = reader.take(count * 3);
  Palette palette{};
  std::memcpy(palette.data(), colours.data(), colours.size());
  return std::memcmp(palette.data(), grey.data(), colours.size()) == 0
      ? grey
      : palette;
}

// Content of the headers before the pixels of the first frame.
struct Frame {
  Size canvas;
  Palette palette = grey_palette();
  std::optional<std::uint8_t> transparent;
  Rect place;
  bool interlaced = false;
};

void skip_blocks(ByteReader& reader) {
  while (const std::size_t size = reader.u8()) {
    reader.take(size);
  }
}

void read_extension(ByteReader& reader, Frame& frame) {
  constexpr int kGraphicControl = 0xF9;
  const int label = reader.u8();
  const std::size_t size = reader.u8();
  if (size == 0) {
    return;
  }
  const auto block = reader.take(size);
  if (label == kGraphicControl && size >= 4 && (block[0] & 1) != 0) {
    frame.transparent = block[3];
  }
  skip_blocks(reader);
}

void read_descriptor(ByteReader& reader, Frame& frame) {
  frame.place.left = reader.u16_little();
  frame.place.top = reader.u16_little();
  frame.place.width = reader.u16_little();
  frame.place.height = reader.u16_little();
  const int flags = reader.u8();
  frame.interlaced = (flags & 0x40) != 0;
  if ((flags & 0x80) != 0) {
    frame.palette = read_palette(reader, flags);
  }
  // A frame larger than the screen enlarges it.
  frame.canvas.width = std::max<std::int64_t>(
      frame.canvas.width, frame.place.left + frame.place.width);
  frame.canvas.height = std::max<std::int64_t>(
      frame.canvas.height, frame.place.top + frame.place.height);
}

Frame read_frame(ByteReader& reader) {
  Frame frame;
  reader.take(6); // the signature
  frame.canvas.width = reader.u16_little();
  frame.canvas.height = reader.u16_little();
  const int flags = reader.u8();
  reader.take(2); // background colour, pixel aspect ratio
  if ((flags & 0x80) != 0) {
    frame.palette = read_palette(reader, flags);
  }
  while (true) {
    switch (reader.u8()) {
      case '!':
        read_extension(reader, frame);
        break;
      case ',':
        read_descriptor(reader, frame);
        return frame;
      case ';':
        fail_data("damaged GIF: it has no frame");
      default:
        break; // other bytes between blocks are ignored
    }
  }
}

// Writes colours to the frame's rectangle, row by row in the file's order.
class Painter {
 public:
  Painter(const Frame& frame, Image& image)
      : frame_(frame),
        image_(image),
        done_(frame.place.width == 0 || frame.place.height == 0) {
    go_to_row();
  }

  bool done() const { return done_; }

  void put(std::uint8_t index) {
    std::memcpy(out_, frame_.palette[index].data(), 3);
    out_ += 3;
    if (++x_ == frame_.place.width) {
      next_row();
    }
  }

 private:
  void next_row() {
    // Order of interlaced rows: 0, 8, 16 ..., then 4, 12 ..., 2, 6 ..., 1, 3
    // ...
    static constexpr int kFirst[] = {0, 4, 2, 1};
    static constexpr int kStep[] = {8, 8, 4, 2};
    x_ = 0;
    y_ += frame_.interlaced ? kStep[pass_] : 1;
    while (y_ >= frame_.place.height) {
      if (!frame_.interlaced || pass_ == 3) {
        done_ = true;
        return;
      }
      y_ = kFirst[++pass_];
    }
    go_to_row();
  }
  void go_to_row() {
    const std::ptrdiff_t row = frame_.place.top + y_;
    const std::ptrdiff_t width = image_.width;
    out_ = image_.pixels.data() + (row * width + frame_.place.left) * 3;
  }

  const Frame& frame_;
  Image& image_;
  std::uint8_t* out_ = nullptr;
  int x_ = 0;
  int y_ = 0;
  int pass_ = 0;
  bool done_;
};

// Reads codes of variable width, lowest bits first, from a chain of blocks.
class CodeReader {
 public:
  explicit CodeReader(ByteReader& reader) : reader_(reader) {}

  int next(int width) {
    while (count_ < width) {
      while (block_.empty()) {
        block_ = reader_.take(reader_.u8());
      }
      bits_ |= std::uint32_t{block_[0]} << count_;
      count_ += 8;
      block_ = block_.subspan(1);
    }
    const auto code = static_cast<int>(bits_ & ((1U << width) - 1));
    bits_ >>= width;
    count_ -= width;
    return code;
  }

 private:
  ByteReader& reader_;
  Bytes block_;
  std::uint32_t bits_ = 0;
  int count_ = 0;
};

// GIF89a specification, appendix F (variable-length-code LZW). A string is
// stored as the code of its prefix (all but the last byte) and its last byte.
// Some programs begin with more than eight bits per colour; as in Pillow, up to
// 12 are supported, and of larger single values only the lowest eight bits are
// used.
constexpr int kMostBits = 12;

class Lzw {
 public:
  explicit Lzw(int bits)
      : clear_(1 << bits), next_(clear_ + 2), width_(bits + 1), bits_(bits) {}

  void decode(CodeReader& codes, Painter& painter) {
    int previous = kNone;
    while (!painter.done()) {
      const int code = codes.next(width_);
      if (code == clear_) {
        next_ = clear_ + 2;
        width_ = bits_ + 1;
        previous = kNone;
        continue;
      }
      VITRAIN_CHECK_DATA(
          code != clear_ + 1,
          "damaged GIF: its data end before the last pixel");
      VITRAIN_CHECK_DATA(
          code <= (previous == kNone ? clear_ - 1 : next_),
          "damaged GIF: its data hold an invalid code");
      put(code, previous, painter);
      previous = code;
    }
  }

 private:
  static constexpr int kTable = 4096;
  static constexpr int kNone = -1;

  // Paints the string of `code`; then adds the string of `previous`, extended
  // by the first byte of that string, as a new string.
  void put(int code, int previous, Painter& painter) {
    const bool repeats = previous != kNone && code == next_;
    std::size_t length = 0;
    int rest = repeats ? previous : code;
    // Strings are stored backwards.
    while (rest > clear_) {
      // With initial codes of 12 bits, only codes of single values are valid.
      VITRAIN_CHECK_DATA(
          rest < kTable, "damaged GIF: its data hold an invalid code");
      string_[length++] = last_[static_cast<std::size_t>(rest)];
      rest = before_[static_cast<std::size_t>(rest)];
    }
    const auto first = static_cast<std::uint8_t>(rest);
    painter.put(first);
    while (length > 0 && !painter.done()) {
      painter.put(string_[--length]);
    }
    if (repeats && !painter.done()) {
      painter.put(first);
    }
    if (previous != kNone && next_ < kTable) {
      last_[static_cast<std::size_t>(next_)] = first;
      before_[static_cast<std::size_t>(next_)] =
          static_cast<std::uint16_t>(previous);
      if (next_ == (1 << width_) - 1 && width_ < 12) {
        ++width_;
      }
      ++next_;
    }
  }

  int clear_;
  int next_; // code of the next new string
  int width_; // width of a code in bits
  int bits_;
  std::array<std::uint8_t, kTable> last_{};
  std::array<std::uint16_t, kTable> before_{};
  std::array<std::uint8_t, kTable> string_{};
};

// Throws Error(kData) if the file is too small for the frame: a code of 12 bits
// represents at most 4096 pixels, shorter codes fewer per bit.
void check_plausible(const Frame& frame, std::size_t bytes) {
  const auto pixels = static_cast<std::size_t>(frame.place.width) *
      static_cast<std::size_t>(frame.place.height);
  VITRAIN_CHECK_DATA(
      pixels / (4096 * 8 / 12) <= bytes,
      "damaged GIF: {} bytes cannot hold {} x {} pixels",
      bytes,
      frame.place.width,
      frame.place.height);
}

} // namespace

Size gif_size(Bytes bytes) {
  ByteReader reader(bytes, "GIF");
  return read_frame(reader).canvas;
}

Image decode_gif(Bytes bytes, const DecodeOptions& options) {
  ByteReader reader(bytes, "GIF");
  const Frame frame = read_frame(reader);
  check_size(frame.canvas, options);
  check_density(frame.canvas, bytes.size());
  check_plausible(frame, bytes.size());
  const int bits = reader.u8();
  VITRAIN_CHECK_DATA(
      bits <= kMostBits,
      "damaged GIF: its codes begin with {} bits, more than {}",
      bits,
      kMostBits);

  Image image = blank(frame.canvas);
  // Pixels outside the frame get the transparent colour if there is one, else
  // colour 0.
  fill_with(image.pixels, frame.palette[frame.transparent.value_or(0)]);
  Painter painter(frame, image);
  CodeReader codes(reader);
  Lzw(bits).decode(codes, painter);
  return image;
}

} // namespace vitrain::image::detail
