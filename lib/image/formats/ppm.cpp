#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "image/formats/byte_reader.h"
#include "image/formats/formats.h"
#include "image/formats/levels.h"

namespace vitrain::image::detail {
namespace {

using namespace std::string_view_literals;

bool is_space(std::uint8_t byte) {
  return " \t\n\v\f\r"sv.find(static_cast<char>(byte)) !=
      std::string_view::npos;
}

[[noreturn]] void fail_number() {
  fail_data("damaged PPM: a decimal number of at most 10 digits was expected");
}

// Reads decimal numbers, separated by white space and by comments that extend
// to the end of the line.
class TextReader {
 public:
  explicit TextReader(ByteReader& reader) : reader_(reader) {}

  // Returns the next byte that is neither white space nor in a comment.
  std::uint8_t next() {
    while (true) {
      const std::uint8_t byte = reader_.u8();
      if (byte == '#') {
        skip_comment();
      } else if (!is_space(byte)) {
        return byte;
      }
    }
  }

  // Reads a number and one white space after it; a comment inside a number does
  // not end it.
  std::int64_t number() {
    std::int64_t value = 0;
    int digits = 0;
    std::uint8_t byte = next();
    while (true) {
      if (byte < '0' || byte > '9' || ++digits > 10) {
        fail_number();
      }
      value = value * 10 + (byte - '0');
      do {
        if (reader_.left() == 0) {
          return value;
        }
        byte = reader_.u8();
        if (byte == '#') {
          skip_comment();
        }
      } while (byte == '#');
      if (is_space(byte)) {
        return value;
      }
    }
  }

 private:
  void skip_comment() {
    while (reader_.left() > 0) {
      const std::uint8_t byte = reader_.u8();
      if (byte == '\n' || byte == '\r') {
        return;
      }
    }
  }

  ByteReader& reader_;
};

struct Info {
  char kind = 0; // digit after 'P': '1' to '6'
  Size size;
  std::int64_t largest = 1; // largest value of a channel

  bool bits() const { return kind == '1' || kind == '4'; }
  bool text() const { return kind <= '3'; }
  int channels() const { return kind == '3' || kind == '6' ? 3 : 1; }
};

Info read_info(ByteReader& reader) {
  reader.take(1); // the letter P
  Info info;
  info.kind = static_cast<char>(reader.u8());
  reader.take(1); // white space
  TextReader text(reader);
  info.size.width = text.number();
  info.size.height = text.number();
  if (!info.bits()) {
    info.largest = text.number();
    VITRAIN_CHECK_DATA(
        info.largest > 0 && info.largest < 65536,
        "damaged PPM: the largest value is {}, not between 1 and 65535",
        info.largest);
  }
  return info;
}

// Throws Error(kData) if the rest of the file is too short for the size in the
// header.
void check_plausible(const Info& info, const ByteReader& reader) {
  std::int64_t row = info.size.width * info.channels();
  if (info.kind == '4') {
    row = (row + 7) / 8;
  } else if (info.largest > 255 || (info.text() && !info.bits())) {
    // As text: at least a digit and white space, except after the last value.
    row *= 2;
  }
  VITRAIN_CHECK_DATA(
      row * info.size.height - 1 <= static_cast<std::int64_t>(reader.left()),
      "damaged PPM: the file is truncated: {} x {} pixels need more bytes",
      info.size.width,
      info.size.height);
}

// Maps values to 8 bits, rounded half to even as Pillow does. Grey values with
// more than 8 bits are scaled to 16 bits and then clipped at 255 (Pillow's mode
// I). With a range, which refers to 16 bits, colours are scaled to 16 bits,
// too.
class Values {
 public:
  Values(const Info& info, const DecodeOptions& options)
      : wide_(
            info.largest > 255 &&
            (info.channels() == 1 || options.range.has_value())),
        range_(options.range),
        largest_(static_cast<double>(info.largest)),
        levels_(info.largest > 255 ? 65536 : 256) {
    Levels levels(options.range);
    for (std::size_t value = 0; value < levels_.size(); ++value) {
      levels_[value] = wide_
          ? levels.grey(scaled(value))
          : static_cast<std::uint8_t>(std::min(scaled(value), 255.0));
    }
  }

  std::uint8_t level(std::size_t value) {
    highest_ = std::max(highest_, value);
    return levels_[value];
  }
  // Returns true if any of the converted values was clipped.
  bool clipped() const { return wide_ && !range_ && scaled(highest_) > 255.0; }

 private:
  double scaled(std::size_t value) const {
    return std::nearbyint(
        static_cast<double>(value) / largest_ * (wide_ ? 65535.0 : 255.0));
  }

  bool wide_;
  std::optional<std::array<double, 2>> range_;
  double largest_;
  std::vector<std::uint8_t> levels_;
  std::size_t highest_ = 0;
};

// Writes values one after the other; grey values to all three channels.
class PixelWriter {
 public:
  PixelWriter(const Info& info, Image& image)
      : grey_(info.channels() == 1), out_(image.pixels.data()) {}

  void put(std::uint8_t value) {
    const std::size_t count = grey_ ? 3 : 1;
    std::memset(out_, value, count);
    out_ += count;
  }

 private:
  bool grey_;
  std::uint8_t* out_;
};

void read_text(
    ByteReader& reader,
    const Info& info,
    const DecodeOptions& options,
    Image& image) {
  TextReader text(reader);
  PixelWriter writer(info, image);
  Values values(info, options);
  const std::int64_t count =
      info.size.width * info.size.height * info.channels();
  for (std::int64_t i = 0; i < count; ++i) {
    if (info.bits()) {
      const std::uint8_t digit = text.next(); // white space is optional
      if (digit != '0' && digit != '1') {
        fail_number();
      }
      writer.put(digit == '0' ? 255 : 0);
      continue;
    }
    const std::int64_t value = text.number();
    VITRAIN_CHECK_DATA(
        value <= info.largest,
        "damaged PPM: the value {} is larger than {}",
        value,
        info.largest);
    writer.put(values.level(static_cast<std::size_t>(value)));
  }
  image.clipped = values.clipped();
}

void read_bits(ByteReader& reader, const Info& info, Image& image) {
  PixelWriter writer(info, image);
  for (std::int64_t y = 0; y < info.size.height; ++y) {
    const Bytes row =
        reader.take(static_cast<std::size_t>((info.size.width + 7) / 8));
    for (std::int64_t x = 0; x < info.size.width; ++x) {
      const int bit = row[static_cast<std::size_t>(x / 8)] >> (7 - x % 8) & 1;
      writer.put(bit == 0 ? 255 : 0);
    }
  }
}

void read_bytes(
    ByteReader& reader,
    const Info& info,
    const DecodeOptions& options,
    Image& image) {
  PixelWriter writer(info, image);
  const std::size_t size = info.largest > 255 ? 2 : 1;
  const auto count = static_cast<std::size_t>(
      info.size.width * info.size.height * info.channels());
  Values values(info, options);
  const Bytes data = reader.take(count * size);
  for (std::size_t i = 0; i < data.size(); i += size) {
    const int value = size == 2 ? data[i] << 8 | data[i + 1] : data[i];
    writer.put(values.level(static_cast<std::size_t>(value)));
  }
  image.clipped = values.clipped();
}

} // namespace

Size ppm_size(Bytes bytes) {
  ByteReader reader(bytes, "PPM");
  return read_info(reader).size;
}

Image decode_ppm(Bytes bytes, const DecodeOptions& options) {
  ByteReader reader(bytes, "PPM");
  const Info info = read_info(reader);
  check_size(info.size, options);
  check_plausible(info, reader);
  Image image = blank(info.size);
  if (info.text()) {
    read_text(reader, info, options, image);
  } else if (info.bits()) {
    read_bits(reader, info, image);
  } else {
    read_bytes(reader, info, options, image);
  }
  return image;
}

} // namespace vitrain::image::detail
