#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "image/jpeg/jpeg_file.h"
#include "image/jpeg/jpeg_scan.h"

namespace vitrain::image::detail {

// Encodes the coefficients of a plain JPEG as its entropy-coded data (T.81,
// F.1.2), with byte stuffing and restart markers.
class JpegEncoder {
 public:
  // `ones`: pads the last byte of each segment with ones, else with zeros.
  // `file` must outlive the encoder.
  JpegEncoder(const JpegFile& file, bool ones);

  // Adds the next MCU row, with all of its columns. Returns false if a symbol
  // that it needs has no code in the file's Huffman tables.
  bool add_row(McuRow& row);
  // Returns the output, complete after the last row, without a final marker.
  std::string finish();

 private:
  struct Code {
    std::uint16_t bits = 0;
    std::uint8_t length = 0; // 0: the symbol has no code
  };
  using Codes = std::array<Code, 256>; // by symbol

  static Codes make_codes(const HuffmanSpec& spec);
  void put(std::uint32_t bits, int count);
  bool put_value(const Codes& codes, int zeros, int value);
  bool add_block(int component, const std::int16_t* block);
  void end_segment();

  const JpegFile& file_;
  bool ones_;
  std::array<Codes, 4> dc_codes_{};
  std::array<Codes, 4> ac_codes_{};
  std::array<int, 3> prediction_{};
  std::int64_t mcu_ = 0;
  std::uint64_t bits_ = 0; // bits not yet written, in the low `count_` bits
  int count_ = 0;
  std::string out_;
};

} // namespace vitrain::image::detail
