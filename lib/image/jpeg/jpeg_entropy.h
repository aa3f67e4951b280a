#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image/jpeg/jpeg_huffman.h"

namespace vitrain::image::detail {

// Blocks are stored in groups of four neighbours, row by row, so that a vector
// register holds one row of all four blocks: [8, 4, 8] coefficients.
constexpr int kGroupBlocks = 4;
constexpr int kGroupSize = 64 * kGroupBlocks;
constexpr int kRowOfGroup = 8 * kGroupBlocks;

// Returns the offset of block number `column` from the first group in a row of
// blocks.
constexpr std::ptrdiff_t block_offset(std::ptrdiff_t column) {
  return column / kGroupBlocks * kGroupSize + column % kGroupBlocks * 8;
}

// Reader of a bit stream without byte stuffing; the next bit is the highest one
// of `bits`.
struct BitReader {
  std::uint64_t bits = 0;
  int count = 0; // number of valid bits in `bits`
  const std::uint8_t* next = nullptr;
  const std::uint8_t* begin = nullptr;
  // End of the data. Up to kReadAhead bytes after it may be read; their values
  // have no effect.
  const std::uint8_t* end = nullptr;

  // Returns true if bits after the end were consumed.
  bool overrun() const {
    return (next - begin) * 8 - count > (end - begin) * 8;
  }
};

// Upper bound of the bytes of an MCU: 6 blocks of 64 codes with at most 27 bits
// each are 1296 bytes.
constexpr std::size_t kReadAhead = 4096;

// State for decoding a run of MCUs.
struct McuReader {
  struct Component {
    int h = 1;
    int v = 1;
    const HuffmanTable* dc = nullptr;
    const HuffmanTable* ac = nullptr;
    const PairTable* pairs = nullptr; // pairs of codes of `ac`
    int prediction = 0; // prediction of the next block's first coefficient
    // Output: rows of groups.
    std::int16_t* blocks = nullptr;
    int groups = 0; // number of groups in a row of blocks
  };

  BitReader bits;
  int components = 0;
  std::array<Component, 3> component;
};

// Read positions in the streams of an MCU row (packed_jpeg.h); except `heads`,
// every pointer advances by the bytes read. Up to kPackedSlack bytes after
// `end` may be read.
struct PackedReader {
  const std::uint8_t* heads = nullptr;
  std::size_t block = 0; // index of the next block in `heads`
  const std::uint8_t* masks = nullptr;
  const std::uint8_t* nibbles = nullptr;
  const std::uint8_t* bytes = nullptr;
  const std::uint8_t* words = nullptr;
  const std::uint8_t* end = nullptr;
  int prediction = 0; // first coefficient of the previous block

  bool inside() const {
    return masks <= end && nibbles <= end && bytes <= end && words <= end;
  }
};

constexpr std::size_t kPackedSlack = 64;

} // namespace vitrain::image::detail
