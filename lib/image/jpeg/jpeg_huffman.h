#pragma once

#include <array>
#include <cstdint>

#include "image/jpeg/jpeg_file.h"

namespace vitrain::image::detail {

// A Huffman code, together with the bits of the value that follows it.
struct HuffmanSymbol {
  std::uint8_t total = 0; // bits of code and value; 0: invalid code
  std::uint8_t code = 0; // bits of the code
  std::uint8_t size = 0; // bits of the value
  // Number of coefficients to advance: 1 + the zeros before the value, or
  // kEndOfBlock.
  std::uint8_t advance = 0;
};

constexpr int kEndOfBlock = 128;

// Decoding table of one Huffman table. Cheap to fill, because most files
// contain their own tables.
struct HuffmanTable {
  static constexpr int kIndexBits = 11;

  // Indexed by the next kIndexBits bits: the symbol whose code they begin with;
  // total is 0 for longer codes.
  std::array<HuffmanSymbol, 1 << kIndexBits> firsts{};
  // A code, left-aligned in 16 bits, has at most `length` bits if it is below
  // limits[length].
  std::array<std::uint32_t, 17> limits{};
  // offsets[length] + a code of this length is its index in `symbols`.
  std::array<std::int32_t, 17> offsets{};
  std::array<std::uint8_t, 256> symbols{};
  bool ac = false;

  // `spec` must be a prefix code. `is_ac`: the table is for coefficients after
  // the first one of a block, whose symbols also contain a number of zeros.
  void fill(const HuffmanSpec& spec, bool is_ac);
  // Returns the symbol at the top of `bits`, for codes of any length; its total
  // is 0 if there is none.
  HuffmanSymbol find(std::uint64_t bits) const;

 private:
  HuffmanSymbol symbol_of(int symbol, int length) const;
};

// Indexed by the next kIndexBits bits: the one or two coefficients whose codes
// and values fit completely into them. From the lowest byte on a word contains:
// total bits of both (0: not even one fits), total advance of both, advance of
// the first, bits of the second; then the values of the first and of the
// second, 16 bits each. If there is no second one, its fields are 0.
struct PairTable {
  std::array<std::uint64_t, 1 << HuffmanTable::kIndexBits> words{};

  void fill(const HuffmanTable& table);
};

// Returns the signed value that is stored in the `size` bits after the first
// `code` bits (T.81, F.2.2.1, EXTEND).
[[gnu::always_inline]] inline int
value_of(std::uint64_t bits, int code, int size) {
  const std::uint64_t from = bits << code;
  const int positive = static_cast<int>(from >> 63);
  const int magnitude = static_cast<int>((from >> 1) >> (63 - size));
  return magnitude + ((positive - 1) & (1 - (1 << size)));
}

} // namespace vitrain::image::detail
