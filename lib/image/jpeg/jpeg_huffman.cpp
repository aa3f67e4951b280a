#include "image/jpeg/jpeg_huffman.h"

#include <algorithm>

namespace vitrain::image::detail {

HuffmanSymbol HuffmanTable::symbol_of(int symbol, int length) const {
  HuffmanSymbol result;
  result.code = static_cast<std::uint8_t>(length);
  result.size = static_cast<std::uint8_t>(ac ? symbol & 15 : symbol);
  result.total = static_cast<std::uint8_t>(length + result.size);
  const int zeros = ac ? symbol >> 4 : 0;
  // AC symbols without a value: sixteen zeros, or the end of the block.
  const bool end = ac && result.size == 0 && zeros != 15;
  result.advance = static_cast<std::uint8_t>(end ? kEndOfBlock : zeros + 1);
  return result;
}

HuffmanSymbol HuffmanTable::find(std::uint64_t bits) const {
  const auto top = static_cast<std::uint32_t>(bits >> 48);
  for (int length = 1; length <= 16; ++length) {
    if (top < limits[length]) {
      const int code = static_cast<int>(top >> (16 - length));
      return symbol_of(symbols[offsets[length] + code], length);
    }
  }
  return {};
}

void HuffmanTable::fill(const HuffmanSpec& spec, bool is_ac) {
  ac = is_ac;
  symbols = spec.symbols;
  // Codes of one length are consecutive numbers (T.81, C.2).
  std::uint32_t code = 0;
  int symbol = 0;
  for (int length = 1; length <= 16; ++length) {
    offsets[length] = symbol - static_cast<int>(code);
    code += spec.counts[length - 1];
    symbol += spec.counts[length - 1];
    limits[length] = code << (16 - length);
    code <<= 1;
  }
  // Each code fills the range of indices that start with it.
  firsts.fill({});
  std::size_t at = 0;
  int next = 0;
  for (int length = 1; length <= kIndexBits; ++length) {
    const std::size_t indexes = std::size_t{1} << (kIndexBits - length);
    for (int i = 0; i < spec.counts[length - 1]; ++i) {
      const HuffmanSymbol found = symbol_of(symbols[next++], length);
      std::fill_n(firsts.data() + at, indexes, found);
      at += indexes;
    }
  }
}

void PairTable::fill(const HuffmanTable& table) {
  constexpr int kBits = HuffmanTable::kIndexBits;
  constexpr std::size_t kMask = (1 << kBits) - 1;
  const HuffmanSymbol* firsts = table.firsts.data();
  const auto word = [](std::size_t i, const HuffmanSymbol& symbol) {
    return static_cast<std::uint64_t>(static_cast<std::uint16_t>(value_of(
        static_cast<std::uint64_t>(i) << (64 - kBits),
        symbol.code,
        symbol.size)));
  };
  for (std::size_t i = 0; i <= kMask; ++i) {
    const HuffmanSymbol first = firsts[i];
    if (first.total == 0 || first.total > kBits) {
      words[i] = 0;
      continue;
    }
    HuffmanSymbol second;
    const std::size_t rest = (i << first.total) & kMask;
    if (first.advance != kEndOfBlock &&
        first.total + firsts[rest].total <= kBits) {
      second = firsts[rest];
    }
    const auto total = static_cast<std::uint64_t>(first.total + second.total);
    const auto advance =
        static_cast<std::uint64_t>(first.advance + second.advance);
    words[i] = total | advance << 8 | std::uint64_t{first.advance} << 16 |
        std::uint64_t{second.total} << 24 | word(i, first) << 32 |
        word(rest, second) << 48;
  }
}

} // namespace vitrain::image::detail
