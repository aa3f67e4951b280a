#pragma once

#include <array>
#include <cstdint>

#include "image/jpeg/jpeg_file.h"

namespace vitrain::image::detail {

// A Huffman code with the bits of the value after it.
struct HuffmanSymbol {
  std::uint8_t total = 0; // bits of code and value; 0: no such code
  std::uint8_t code = 0; // bits of the code
  std::uint8_t size = 0; // bits of the value
  // Coefficients: 1 + zeros before the value, or kEndOfBlock.
  std::uint8_t advance = 0;
};

constexpr int kEndOfBlock = 128;

// Decoding table of one Huffman table. Cheap to fill: most files bring tables
// of their own.
struct HuffmanTable {
  static constexpr int kIndexBits = 11;

  // The symbol whose code the next kIndexBits bits start with.
  std::array<HuffmanSymbol, 1 << kIndexBits> firsts{};
  // Codes below limits[length], aligned to 16 bits, have at most that length.
  std::array<std::uint32_t, 17> limits{};
  std::array<std::int32_t, 17> offsets{}; // from a code to its symbol
  std::array<std::uint8_t, 256> symbols{};
  bool ac = false;

  // `is_ac`: of coefficients after the first, where symbols have zeros too.
  void fill(const HuffmanSpec& spec, bool is_ac);
  // The symbol at the top of `bits`, of any length.
  HuffmanSymbol find(std::uint64_t bits) const;

 private:
  HuffmanSymbol symbol_of(int symbol, int length) const;
};

// The one or two coefficients that the next kIndexBits bits hold whole, in a
// word: from its lowest byte on bits of both (0: not even one fits), advance of
// both, advance of the first, bits of the second; then the values of the first
// and of the second, 16 bits each. A missing second one has zeros.
struct PairTable {
  std::array<std::uint64_t, 1 << HuffmanTable::kIndexBits> words{};

  void fill(const HuffmanTable& table);
};

// Returns the signed value of `size` bits after `code` bits (T.81, F.2.2.1,
// EXTEND).
[[gnu::always_inline]] inline int
value_of(std::uint64_t bits, int code, int size) {
  const std::uint64_t from = bits << code;
  const int positive = static_cast<int>(from >> 63);
  const int magnitude = static_cast<int>((from >> 1) >> (63 - size));
  return magnitude + ((positive - 1) & (1 - (1 << size)));
}

} // namespace vitrain::image::detail
