#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image/jpeg/jpeg_huffman.h"

namespace vitrain::image::detail {

// Blocks lie in memory in groups of four neighbours, row by row, so that a
// vector register holds one row of all four: [8, 4, 8] coefficients.
constexpr int kGroupBlocks = 4;
constexpr int kGroupSize = 64 * kGroupBlocks;
constexpr int kRowOfGroup = 8 * kGroupBlocks;

// From the first group of a row of blocks to its block number `column`.
constexpr std::ptrdiff_t block_offset(std::ptrdiff_t column) {
  return column / kGroupBlocks * kGroupSize + column % kGroupBlocks * 8;
}

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

// State for decoding a run of MCUs.
struct McuReader {
  struct Component {
    int h = 1;
    int v = 1;
    const HuffmanTable* dc = nullptr;
    const HuffmanTable* ac = nullptr;
    const PairTable* pairs = nullptr; // of ac
    int prediction = 0; // of the first coefficient
    // Where the blocks go: rows of groups.
    std::int16_t* blocks = nullptr;
    int groups = 0; // in a row of blocks
  };

  BitReader bits;
  int components = 0;
  std::array<Component, 3> component;
};

// Read positions in an MCU row of packed_jpeg.h; every pointer advances by the
// bytes read. Up to kPackedSlack bytes after `end` may be read.
struct PackedReader {
  const std::uint8_t* heads = nullptr;
  std::size_t block = 0; // in heads
  const std::uint8_t* masks = nullptr;
  const std::uint8_t* nibbles = nullptr;
  const std::uint8_t* bytes = nullptr;
  const std::uint8_t* words = nullptr;
  const std::uint8_t* end = nullptr;
  int prediction = 0; // first coefficient of the block before

  bool inside() const {
    return masks <= end && nibbles <= end && bytes <= end && words <= end;
  }
};

constexpr std::size_t kPackedSlack = 64;

} // namespace vitrain::image::detail
