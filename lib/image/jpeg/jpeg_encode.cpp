#include "image/jpeg/jpeg_encode.h"

#include <bit>
#include <cstdlib>

namespace vitrain::image::detail {

JpegEncoder::JpegEncoder(const JpegFile& file, bool ones)
    : file_(file), ones_(ones) {
  for (std::size_t i = 0; i < 4; ++i) {
    dc_codes_[i] = make_codes(file.dc[i]);
    ac_codes_[i] = make_codes(file.ac[i]);
  }
}

JpegEncoder::Codes JpegEncoder::make_codes(const HuffmanSpec& spec) {
  Codes codes{};
  std::uint16_t code = 0;
  std::size_t next = 0;
  for (std::size_t length = 1; length <= 16; ++length) {
    for (int i = 0; i < spec.counts[length - 1]; ++i) {
      codes[spec.symbols[next++]] = {code++, static_cast<std::uint8_t>(length)};
    }
    code = static_cast<std::uint16_t>(code << 1);
  }
  return codes;
}

void JpegEncoder::put(std::uint32_t bits, int count) {
  bits_ = bits_ << count | bits;
  count_ += count;
  while (count_ >= 8) {
    count_ -= 8;
    const auto byte = static_cast<std::uint8_t>(bits_ >> count_);
    out_ += static_cast<char>(byte);
    if (byte == 0xFF) {
      out_ += '\0';
    }
  }
}

// Writes the symbol for a number of zeros and the value's size, then the bits
// of the value. Returns false if the symbol has no code.
bool JpegEncoder::put_value(const Codes& codes, int zeros, int value) {
  const int size =
      static_cast<int>(std::bit_width(static_cast<unsigned>(std::abs(value))));
  const auto symbol = static_cast<std::size_t>(zeros << 4 | size);
  if (symbol >= codes.size() || codes[symbol].length == 0) {
    return false;
  }
  put(codes[symbol].bits, codes[symbol].length);
  const int shown = value < 0 ? value - 1 : value;
  put(static_cast<std::uint32_t>(shown) & ((1u << size) - 1), size);
  return true;
}

bool JpegEncoder::add_block(int component, const std::int16_t* block) {
  const JpegComponent& from = file_.component[component];
  const Codes& dc = dc_codes_[from.dc_table];
  const Codes& ac = ac_codes_[from.ac_table];
  const int difference = block[0] - prediction_[component];
  prediction_[component] = block[0];
  bool good = put_value(dc, 0, difference);
  int zeros = 0;
  for (std::size_t k = 1; k < 64 && good; ++k) {
    const int at = kZigzag[k];
    const int value = block[at / 8 * kRowOfGroup + at % 8];
    if (value == 0) {
      ++zeros;
      continue;
    }
    for (; zeros > 15 && good; zeros -= 16) {
      good = put_value(ac, 15, 0);
    }
    good = good && put_value(ac, zeros, value);
    zeros = 0;
  }
  return good && (zeros == 0 || put_value(ac, 0, 0));
}

void JpegEncoder::end_segment() {
  if (count_ > 0) {
    const int missing = 8 - count_;
    put(ones_ ? (1u << missing) - 1 : 0, missing);
  }
  prediction_.fill(0);
}

bool JpegEncoder::add_row(McuRow& row) {
  for (int x = 0; x < file_.mcus_x; ++x, ++mcu_) {
    if (file_.restart_interval != 0 && mcu_ > 0 &&
        mcu_ % file_.restart_interval == 0) {
      end_segment();
      const std::int64_t restart = mcu_ / file_.restart_interval - 1;
      out_ += '\xFF';
      out_ += static_cast<char>(0xD0 + restart % 8);
    }
    for (int c = 0; c < file_.components; ++c) {
      const JpegComponent& component = file_.component[c];
      for (int v = 0; v < component.v; ++v) {
        for (int h = 0; h < component.h; ++h) {
          const int column = x * component.h + h;
          if (!add_block(c, row.group(c, v, 0) + block_offset(column))) {
            return false;
          }
        }
      }
    }
  }
  return true;
}

std::string JpegEncoder::finish() {
  end_segment();
  return std::move(out_);
}

} // namespace vitrain::image::detail
