#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "image/jpeg/jpeg_entropy.h"
#include "image/jpeg/jpeg_kernels.h"

namespace vitrain::image::detail {

// Quantised coefficients of some MCU columns of one MCU row.
struct McuRow {
  // [v, groups, kGroupSize] of every component; rows of blocks from top to
  // bottom.
  std::array<std::vector<std::int16_t>, 3> blocks;
  std::array<int, 3> groups{}; // of a row of blocks

  std::int16_t* group(int component, int row, int i) {
    return blocks[component].data() +
        static_cast<std::ptrdiff_t>(row * groups[component] + i) * kGroupSize;
  }
  // Makes room for `rows` rows of `count` blocks of a component; their
  // coefficients are anything.
  void set_columns(int component, int count, int rows);
};

// A range [begin, end).
struct Range {
  int begin = 0;
  int end = 0;

  int size() const { return end - begin; }
};

// Decodes the entropy-coded data of a plain JPEG, MCU row by MCU row. One
// object per thread serves any number of files: buffers stay.
class JpegScan {
 public:
  explicit JpegScan(const JpegKernels& kernels) : kernels_(&kernels) {}

  // Starts at the first MCU. False when the data have no proper end or their
  // restart markers are out of order; libjpeg then decides what can be shown.
  // `file` must stay until the last row was read.
  bool start(const JpegFile& file, std::span<const std::uint8_t> bytes);

  // Offset in `bytes` of what follows the entropy-coded data: the final marker.
  std::size_t end() const { return end_; }

  // Passes over the next `rows` MCU rows. False when the data are damaged.
  bool skip_rows(int rows);
  // Reads the next MCU row's blocks in the MCU columns `columns`. Returns false
  // if the data are damaged, or if decoders disagree on their pixels.
  bool read_row(Range columns, McuRow& row);

 private:
  using Run = bool (*)(McuReader& mcus, int first, int count);

  bool split_segments(std::span<const std::uint8_t> bytes);
  bool begin_segment();
  bool run(Run decode, int first, int count);
  bool fits(McuRow& row) const;

  const JpegKernels* kernels_;
  const JpegFile* file_ = nullptr;
  std::array<HuffmanTable, 4> dc_tables_;
  std::array<HuffmanTable, 4> ac_tables_;
  std::array<PairTable, 4> pair_tables_;
  // Limits of fits() for the first row of a group of blocks, by component.
  std::array<std::array<std::int16_t, kRowOfGroup>, 3> largest_{};
  std::vector<std::uint8_t> data_; // without stuffing
  std::vector<std::size_t> segment_ends_; // between restart markers
  std::size_t end_ = 0;
  McuReader mcus_;
  std::size_t segment_ = 0; // the next one
  std::int64_t left_ = 0; // MCUs of this segment
};

} // namespace vitrain::image::detail
