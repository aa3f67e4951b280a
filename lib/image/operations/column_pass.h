#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "image/operations/resample_axis.h"
#include "image/operations/resample_kernels.h"

namespace vitrain::image {

// Horizontal pass of a resize, the first one, computed in steps: as far as the
// second pass needs it, so that its rows are still in the cache.
class ColumnPass {
 public:
  // `source` contains the pixels of axis.span() in the rows `rows` = [first,
  // last). Bytes from `end` on must not be read. `result` and `tail` are
  // buffers that are enlarged if needed; all arguments must outlive the pass.
  ColumnPass(
      const Axis& axis,
      const Kernels& kernels,
      RowBlock<const std::uint8_t> source,
      Span rows,
      const std::uint8_t* end,
      std::vector<std::uint8_t>& result,
      std::vector<std::uint8_t>& tail)
      : axis_(axis), kernels_(kernels), source_(source), tail_(tail) {
    const auto count = static_cast<std::size_t>(rows.last - rows.first);
    const auto outputs = static_cast<std::size_t>(axis.taps().outputs);
    // Kernels may write past the end of a row; the stride keeps that away from
    // the next row.
    const std::size_t stride = (outputs * 3 + kernels.slack + 63) / 64 * 64;
    if (result.size() < count * stride) {
      result.resize(count * stride);
    }
    result_ = {result.data(), stride};
    row_bytes_ =
        3 * static_cast<std::size_t>(axis.span().last - axis.span().first);
    const std::ptrdiff_t room = end - source.pixels -
        static_cast<std::ptrdiff_t>(row_bytes_ + kernels.slack);
    roomy_ = room < 0
        ? 0
        : static_cast<int>(static_cast<std::size_t>(room) / source.stride) + 1;
    tail.resize(row_bytes_ + kernels.slack);
  }

  RowBlock<const std::uint8_t> result() const {
    return {result_.pixels, result_.stride};
  }

  // Computes all rows before `last`, counted from the first one, that are not
  // done yet.
  void provide(int last) {
    if (const int end = std::min(last, roomy_); done_ < end) {
      kernels_.columns(axis_.taps(), source_row(), end - done_, result_row());
      done_ = end;
    }
    for (; done_ < last; ++done_) {
      std::memcpy(tail_.data(), source_row().pixels, row_bytes_);
      kernels_.columns(
          axis_.taps(), {tail_.data(), tail_.size()}, 1, result_row());
    }
  }

 private:
  RowBlock<const std::uint8_t> source_row() const {
    return {
        source_.pixels + static_cast<std::size_t>(done_) * source_.stride,
        source_.stride};
  }
  RowBlock<std::uint8_t> result_row() const {
    return {
        result_.pixels + static_cast<std::size_t>(done_) * result_.stride,
        result_.stride};
  }

  const Axis& axis_;
  const Kernels& kernels_;
  RowBlock<const std::uint8_t> source_;
  RowBlock<std::uint8_t> result_;
  std::vector<std::uint8_t>& tail_;
  std::size_t row_bytes_ = 0;
  int roomy_ = 0; // number of rows with kernels.slack readable bytes after them
  int done_ = 0;
};

} // namespace vitrain::image
