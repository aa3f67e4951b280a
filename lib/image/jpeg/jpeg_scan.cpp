#include "image/jpeg/jpeg_scan.h"

#include <algorithm>
#include <cstring>

namespace vitrain::image::detail {

void McuRow::set_columns(int component, int count, int rows) {
  groups[component] = (count + kGroupBlocks - 1) / kGroupBlocks;
  const auto size =
      static_cast<std::size_t>(rows) * groups[component] * kGroupSize;
  if (blocks[component].size() < size) {
    blocks[component].resize(size);
  }
}

bool JpegScan::start(
    const JpegFile& file,
    std::span<const std::uint8_t> bytes) {
  file_ = &file;
  mcus_ = {};
  mcus_.components = file.components;
  std::array<bool, 4> dc_filled{};
  std::array<bool, 4> ac_filled{};
  for (int i = 0; i < file.components; ++i) {
    const JpegComponent& from = file.component[i];
    McuReader::Component& to = mcus_.component[i];
    to.h = from.h;
    to.v = from.v;
    to.dc = &dc_tables_[from.dc_table];
    to.ac = &ac_tables_[from.ac_table];
    to.pairs = &pair_tables_[from.ac_table];
    for (std::size_t k = 0; k < 64; ++k) {
      const int step = file.quant[from.quant][k];
      for (int block = 0; kZigzag[k] < 8 && block < kGroupBlocks; ++block) {
        largest_[i][kZigzag[k] + 8 * block] =
            static_cast<std::int16_t>(step == 0 ? INT16_MAX : 8191 / step);
      }
    }
    if (!dc_filled[from.dc_table]) {
      dc_tables_[from.dc_table].fill(file.dc[from.dc_table], /*is_ac=*/false);
      dc_filled[from.dc_table] = true;
    }
    if (!ac_filled[from.ac_table]) {
      ac_tables_[from.ac_table].fill(file.ac[from.ac_table], /*is_ac=*/true);
      pair_tables_[from.ac_table].fill(ac_tables_[from.ac_table]);
      ac_filled[from.ac_table] = true;
    }
  }
  segment_ = 0;
  left_ = 0;
  return split_segments(bytes.subspan(file.scan_begin));
}

// Removes the zero bytes stuffed after 0xFF, and splits the data at restart
// markers (T.81, B.1.1.5 and E.1.4). Returns false if the data are truncated or
// the markers are wrong.
bool JpegScan::split_segments(std::span<const std::uint8_t> bytes) {
  constexpr std::uint8_t kEoi = 0xD9;
  segment_ends_.clear();
  if (data_.size() < bytes.size() + kReadAhead) {
    data_.resize(bytes.size() + kReadAhead);
  }
  std::uint8_t* out = data_.data();
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* end = at + bytes.size();
  while (true) {
    const void* found =
        std::memchr(at, 0xFF, static_cast<std::size_t>(end - at));
    if (found == nullptr) {
      return false; // truncated
    }
    const auto* marker = static_cast<const std::uint8_t*>(found);
    std::memcpy(out, at, static_cast<std::size_t>(marker - at));
    out += marker - at;
    at = marker + 1;
    while (at < end && *at == 0xFF) {
      ++at; // fill bytes
    }
    if (at == end) {
      return false;
    }
    const std::uint8_t code = *at++;
    if (code == 0) {
      *out++ = 0xFF;
      continue;
    }
    end_ = file_->scan_begin + static_cast<std::size_t>(marker - bytes.data());
    segment_ends_.push_back(static_cast<std::size_t>(out - data_.data()));
    const bool restart = file_->restart_interval != 0 &&
        code == 0xD0 + (segment_ends_.size() - 1) % 8;
    if (!restart) {
      if (code != kEoi) {
        return false;
      }
      break;
    }
  }
  const std::int64_t mcus = std::int64_t{file_->mcus_x} * file_->mcus_y;
  const std::int64_t interval =
      file_->restart_interval != 0 ? file_->restart_interval : mcus;
  return static_cast<std::int64_t>(segment_ends_.size()) ==
      (mcus + interval - 1) / interval;
}

bool JpegScan::begin_segment() {
  if (segment_ > 0 && mcus_.bits.overrun()) {
    return false;
  }
  const std::size_t begin = segment_ == 0 ? 0 : segment_ends_[segment_ - 1];
  mcus_.bits = {};
  mcus_.bits.begin = data_.data() + begin;
  mcus_.bits.next = mcus_.bits.begin;
  mcus_.bits.end = data_.data() + segment_ends_[segment_];
  ++segment_;
  left_ = file_->restart_interval != 0
      ? file_->restart_interval
      : std::int64_t{file_->mcus_x} * file_->mcus_y;
  for (McuReader::Component& component : mcus_.component) {
    component.prediction = 0;
  }
  return true;
}

bool JpegScan::run(Run decode, int first, int count) {
  while (count > 0) {
    if (left_ == 0 && !begin_segment()) {
      return false;
    }
    const int part = static_cast<int>(std::min<std::int64_t>(count, left_));
    if (!decode(mcus_, first, part)) {
      return false;
    }
    left_ -= part;
    first += part;
    count -= part;
  }
  return true;
}

bool JpegScan::skip_rows(int rows) {
  for (int i = 0; i < rows; ++i) {
    if (!run(kernels_->skip_mcus, 0, file_->mcus_x)) {
      return false;
    }
  }
  return !mcus_.bits.overrun();
}

// Returns true if the products of the first row of each block and its
// quantisation steps are small enough for the two bits that the first pass of
// the inverse DCT adds in 16 bits. For larger values libjpeg's vector code
// wraps around if all other rows are zero, and saturates otherwise; no encoder
// writes such values.
bool JpegScan::fits(McuRow& row) const {
  std::int16_t outside = 0;
  for (int c = 0; c < file_->components; ++c) {
    const int groups = row.groups[c] * file_->component[c].v;
    const std::int16_t* largest = largest_[c].data();
    for (int g = 0; g < groups; ++g) {
      const std::int16_t* first = row.group(c, 0, g);
      for (int i = 0; i < kRowOfGroup; ++i) {
        outside |= static_cast<std::int16_t>(
            (first[i] > largest[i]) | (first[i] < -largest[i]));
      }
    }
  }
  return outside == 0;
}

bool JpegScan::read_row(Range columns, McuRow& row) {
  for (int c = 0; c < file_->components; ++c) {
    McuReader::Component& component = mcus_.component[c];
    row.set_columns(c, columns.size() * component.h, component.v);
    component.groups = row.groups[c];
    component.blocks = row.group(c, 0, 0);
    std::fill_n(
        component.blocks,
        static_cast<std::ptrdiff_t>(component.v) * component.groups *
            kGroupSize,
        std::int16_t{0});
  }
  return run(kernels_->skip_mcus, 0, columns.begin) &&
      run(kernels_->read_mcus, 0, columns.size()) &&
      run(kernels_->skip_mcus, 0, file_->mcus_x - columns.end) &&
      !mcus_.bits.overrun() && fits(row);
}

} // namespace vitrain::image::detail
