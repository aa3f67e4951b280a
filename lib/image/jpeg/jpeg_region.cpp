#include "image/jpeg/jpeg_region.h"

#include <algorithm>

#include "image/jpeg/packed_jpeg.h"

namespace vitrain::image::detail {
namespace {

// Returns the chroma samples on which pixels [begin, begin + size) depend;
// smoothing uses one neighbour on each side.
Range chroma_range(int begin, int size, int factor, int samples) {
  if (factor == 1) {
    return {begin, begin + size};
  }
  return {
      std::max(begin / 2 - 1, 0),
      std::min((begin + size - 1) / 2 + 2, samples)};
}

// Returns the MCUs along one axis that pixels [begin, begin + size) depend on.
Range mcu_range(int begin, int size, int factor, int samples, bool chroma) {
  Range mcus{
      begin / (8 * factor), (begin + size + 8 * factor - 1) / (8 * factor)};
  if (chroma) {
    const Range range = chroma_range(begin, size, factor, samples);
    mcus.begin = std::min(mcus.begin, range.begin / 8);
    mcus.end = std::max(mcus.end, (range.end + 7) / 8);
  }
  return mcus;
}

} // namespace

McuWindow mcu_window(const JpegFile& file, const Rect& rect) {
  const bool chroma = file.components == 3;
  const JpegComponent& luma = file.component[0];
  const JpegComponent& other = file.component[chroma ? 1 : 0];
  return {
      mcu_range(rect.left, rect.width, luma.h, other.width, chroma),
      mcu_range(rect.top, rect.height, luma.v, other.height, chroma)};
}

void JpegPixels::start(const JpegFile& file, const Rect& rect) {
  file_ = &file;
  rect_ = rect;
  window_ = mcu_window(file, rect);
  for (int c = 0; c < file.components; ++c) {
    const JpegComponent& component = file.component[c];
    for (std::size_t i = 0; i < 64; ++i) {
      steps_[c][kZigzag[i]] =
          static_cast<std::int16_t>(file.quant[component.quant][i]);
    }
    Plane& plane = planes_[c];
    const int groups =
        (window_.columns.size() * component.h + kGroupBlocks - 1) /
        kGroupBlocks;
    plane.left = window_.columns.begin * component.h * 8;
    plane.top = window_.rows.begin * component.v * 8;
    plane.stride =
        static_cast<std::ptrdiff_t>(groups) * kRowOfGroup + 2 * Plane::kMargin;
    const auto bytes = static_cast<std::size_t>(
        plane.stride * window_.rows.size() * component.v * 8);
    if (plane.samples.size() < bytes + kSlack) {
      plane.samples.resize(bytes + kSlack);
    }
  }
}

void JpegPixels::add_row(int y, McuRow& row) {
  for (int c = 0; c < file_->components; ++c) {
    const JpegComponent& component = file_->component[c];
    Plane& plane = planes_[c];
    for (int v = 0; v < component.v; ++v) {
      std::uint8_t* out = plane.row((y * component.v + v) * 8) + plane.left;
      for (int group = 0; group < row.groups[c]; ++group) {
        kernels_->inverse_dct(
            row.group(c, v, group), steps_[c].data(), out, plane.stride);
        out += kRowOfGroup;
      }
    }
  }
}

// Copies the first and the last sample of each row to its neighbour outside the
// image, as smoothing requires.
void JpegPixels::repeat_edges(int c) {
  const JpegComponent& component = file_->component[c];
  Plane& plane = planes_[c];
  const Range rows{
      plane.top,
      std::min(window_.rows.end * component.v * 8, component.height)};
  for (int y = rows.begin; y < rows.end; ++y) {
    std::uint8_t* row = plane.row(y);
    if (plane.left == 0) {
      row[-1] = row[0];
    }
    if (window_.columns.end == file_->mcus_x) {
      row[component.width] = row[component.width - 1];
    }
  }
}

// Computes full-resolution chroma of pixel row y for samples [first, first +
// count).
void JpegPixels::chroma_row(int c, int y, int first, int count) {
  const JpegComponent& luma = file_->component[0];
  Plane& plane = planes_[c];
  std::uint8_t* out = chroma_[c].data();
  const int near = y / luma.v;
  const bool lower = y % 2 != 0;
  const int far = std::clamp(
      lower ? near + 1 : near - 1, 0, file_->component[c].height - 1);
  if (luma.v == 1) {
    kernels_->upsample_h2v1(plane.row(y) + first, count, out);
  } else if (luma.h == 1) {
    kernels_->upsample_h1v2(
        plane.row(near) + first,
        plane.row(far) + first,
        lower ? 2 : 1,
        count,
        out);
  } else {
    kernels_->blend_rows(
        plane.row(near) + first - 1,
        plane.row(far) + first - 1,
        count + 2,
        sums_.data());
    kernels_->upsample_h2v2(sums_.data() + 1, count, out);
  }
}

void JpegPixels::finish(std::uint8_t* out) {
  const int h = file_->component[0].h;
  const int v = file_->component[0].v;
  const bool sampled = file_->components == 3 && (h == 2 || v == 2);
  const int first = rect_.left / h;
  const int count = (rect_.left + rect_.width - 1) / h - first + 1;
  if (sampled) {
    sums_.resize(static_cast<std::size_t>(count) + 2 + kSlack);
    for (int c = 1; c < 3; ++c) {
      chroma_[c].resize(static_cast<std::size_t>(count) * h + 2 * kSlack);
      repeat_edges(c);
    }
  } else if (file_->components == 1) {
    chroma_[0].assign(static_cast<std::size_t>(rect_.width) + kSlack, 128);
  }
  for (int y = rect_.top; y < rect_.top + rect_.height; ++y) {
    const std::uint8_t* light = planes_[0].row(y) + rect_.left;
    const std::uint8_t* cb = chroma_[0].data();
    const std::uint8_t* cr = chroma_[0].data();
    if (sampled) {
      chroma_row(1, y, first, count);
      chroma_row(2, y, first, count);
      cb = chroma_[1].data() + rect_.left % h;
      cr = chroma_[2].data() + rect_.left % h;
    } else if (file_->components == 3) {
      cb = planes_[1].row(y) + rect_.left;
      cr = planes_[2].row(y) + rect_.left;
    }
    kernels_->to_rgb(light, cb, cr, rect_.width, out);
    out += static_cast<std::ptrdiff_t>(3) * rect_.width;
  }
}

bool JpegRegion::decode(
    const JpegFile& file,
    std::span<const std::uint8_t> bytes,
    const Rect& rect,
    std::vector<std::uint8_t>& out) {
  if (!scan_.start(file, bytes)) {
    return false;
  }
  pixels_.start(file, rect);
  const McuWindow& window = pixels_.window();
  if (!scan_.skip_rows(window.rows.begin)) {
    return false;
  }
  for (int y = window.rows.begin; y < window.rows.end; ++y) {
    if (!scan_.read_row(window.columns, row_)) {
      return false;
    }
    pixels_.add_row(y, row_);
  }
  finish(rect, out);
  return true;
}

void JpegRegion::decode(
    const PackedJpeg& packed,
    const Rect& rect,
    std::vector<std::uint8_t>& out) {
  pixels_.start(packed.file(), rect);
  const McuWindow& window = pixels_.window();
  for (int y = window.rows.begin; y < window.rows.end; ++y) {
    packed.read_row(*kernels_, y, window.columns, row_);
    pixels_.add_row(y, row_);
  }
  finish(rect, out);
}

void JpegRegion::finish(const Rect& rect, std::vector<std::uint8_t>& out) {
  const std::size_t bytes =
      static_cast<std::size_t>(rect.width) * rect.height * 3 + kSlack;
  if (out.size() < bytes) {
    out.resize(bytes);
  }
  pixels_.finish(out.data());
}

} // namespace vitrain::image::detail
