#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "image/jpeg/jpeg_file.h"
#include "image/jpeg/jpeg_scan.h"

namespace vitrain::image::detail {

// Writes the entropy-coded data of a plain JPEG from its coefficients (T.81,
// F.1.2), with the stuffing and the restart markers that belong to it.
class JpegEncoder {
 public:
  // `ones`: the last byte of a segment is filled up with ones, else zeros.
  JpegEncoder(const JpegFile& file, bool ones);

  // The next MCU row, with all of its columns. False when a coefficient has no
  // code in the file's tables.
  bool add_row(McuRow& row);
  // Returns the output, complete after the last row, without a final marker.
  std::string finish();

 private:
  struct Code {
    std::uint16_t bits = 0;
    std::uint8_t length = 0; // 0: there is none
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
  std::uint64_t bits_ = 0; // not yet written, in the low `count_` bits
  int count_ = 0;
  std::string out_;
};

} // namespace vitrain::image::detail
