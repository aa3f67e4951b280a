#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "image/jpeg/jpeg_entropy.h"
#include "image/jpeg/jpeg_kernels.h"

namespace vitrain::image::detail {

// Quantised coefficients of some MCU columns in one MCU row.
struct McuRow {
  // [v, groups, kGroupSize] for every component; rows of blocks from top to
  // bottom.
  std::array<std::vector<std::int16_t>, 3> blocks;
  // Number of groups in a row of blocks, by component.
  std::array<int, 3> groups{};

  std::int16_t* group(int component, int row, int i) {
    return blocks[component].data() +
        static_cast<std::ptrdiff_t>(row * groups[component] + i) * kGroupSize;
  }
  // Resizes for `rows` rows of `count` blocks of a component; their
  // coefficients are unspecified.
  void set_columns(int component, int count, int rows);
};

// A range [begin, end).
struct Range {
  int begin = 0;
  int end = 0;

  int size() const { return end - begin; }
};

// Decodes the entropy-coded data of a plain JPEG, MCU row by MCU row. Reusable
// for any number of files, with the same buffers; use one object per thread.
class JpegScan {
 public:
  explicit JpegScan(const JpegKernels& kernels) : kernels_(&kernels) {}

  // Prepares reading from the first MCU. Returns false if the data do not end
  // with the end-of-image marker, or if restart markers are out of order or of
  // another number; libjpeg must then decode the file. `file` must stay valid
  // until the last row was read.
  bool start(const JpegFile& file, std::span<const std::uint8_t> bytes);

  // Returns the offset in `bytes` of the final marker, which follows the
  // entropy-coded data.
  std::size_t end() const { return end_; }

  // Skips the next `rows` MCU rows. Returns false if the data are damaged.
  bool skip_rows(int rows);
  // Reads the blocks of the next MCU row in the MCU columns `columns`. Returns
  // false if the data are damaged, or if their values are so large that
  // decoders give different pixels.
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
  // Largest magnitudes allowed by fits() in the first row of a group of blocks,
  // by component.
  std::array<std::array<std::int16_t, kRowOfGroup>, 3> largest_{};
  std::vector<std::uint8_t> data_; // entropy-coded bytes without stuffing
  // Ends of the segments between restart markers, in data_.
  std::vector<std::size_t> segment_ends_;
  std::size_t end_ = 0;
  McuReader mcus_;
  std::size_t segment_ = 0; // index of the next segment
  std::int64_t left_ = 0; // remaining MCUs of the current segment
};

} // namespace vitrain::image::detail
