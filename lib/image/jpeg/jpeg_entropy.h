#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image/jpeg/jpeg_huffman.h"
#include "image/jpeg/jpeg_layout.h"

namespace vitrain::image::detail {

// Bits of a stream without stuffing, the next one on top.
struct BitReader {
  std::uint64_t bits = 0;
  int count = 0; // valid bits
  const std::uint8_t* next = nullptr;
  const std::uint8_t* begin = nullptr;
  // Up to kReadAhead bytes may be read from here; their values do not matter.
  const std::uint8_t* end = nullptr;

  // Whether bits past the end were used.
  bool overrun() const {
    return (next - begin) * 8 - count > (end - begin) * 8;
  }
};

// More than the bits of an MCU: 6 blocks of 64 codes, 27 bits at most each.
constexpr std::size_t kReadAhead = 4096;

// What decoding one run of MCUs works on.
struct McuReader {
  struct Component {
    int h = 1;
    int v = 1;
    const HuffmanTable* dc = nullptr;
    const HuffmanTable* ac = nullptr;
    const PairTable* pairs = nullptr; // of ac
    int prediction = 0; // of the first coefficient
    // Where the blocks go: rows of groups (jpeg_layout.h).
    std::int16_t* blocks = nullptr;
    int groups = 0; // in a row of blocks
  };

  BitReader bits;
  int components = 0;
  std::array<Component, 3> component;
};

} // namespace vitrain::image::detail
