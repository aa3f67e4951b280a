#pragma once

#include <cstddef>
#include <cstdint>

namespace vitrain::image::detail {

// Where the blocks of one MCU row of packed_jpeg.h are read; every pointer
// moves on by what was read. Up to kPackedSlack bytes behind `end` may be read.
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
