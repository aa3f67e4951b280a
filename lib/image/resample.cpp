#include "image/resample.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/check.h"
#include "image/nearest.h"
#include "image/resample_axis.h"

namespace vitrain::image {
namespace {

const Kernels& kernels_of(Simd simd) {
  VITRAIN_CHECK(
      simd <= best_simd(),
      ExitCode::kInternal,
      "resample: this processor lacks the instruction set");
#if defined(__x86_64__)
  if (simd == Simd::kAvx512) {
    return kAvx512Kernels;
  }
  if (simd == Simd::kAvx2) {
    return kAvx2Kernels;
  }
#endif
  return kScalarKernels;
}

Box box_of(const Resizing& r) {
  return r.box.value_or(
      Box{0,
          0,
          static_cast<float>(r.source_width),
          static_cast<float>(r.source_height)});
}

void check(const Resizing& r) {
  const Box box = box_of(r);
  VITRAIN_CHECK(
      r.width > 0 && r.height > 0,
      ExitCode::kInternal,
      "resize: the size has to be positive");
  VITRAIN_CHECK(
      box.left >= 0 && box.top >= 0 && box.right > box.left &&
          box.bottom > box.top &&
          box.right <= static_cast<float>(r.source_width) &&
          box.bottom <= static_cast<float>(r.source_height),
      ExitCode::kInternal,
      "resize: the box has to lie inside the image");
  VITRAIN_CHECK(
      r.window.left >= 0 && r.window.top >= 0 && r.window.width > 0 &&
          r.window.height > 0 && r.window.width <= r.width - r.window.left &&
          r.window.height <= r.height - r.window.top,
      ExitCode::kInternal,
      "resize: the window has to lie inside the result");
}

// What a resize does along its two axes. An axis that keeps its length is
// copied, not filtered, unless it has to be mirrored: then it is filtered to
// the same length, which changes no byte.
struct Axes {
  AxisKey x;
  AxisKey y;
  bool filter_x;
  bool filter_y;

  explicit Axes(const Resizing& r) {
    const Box box = box_of(r);
    const bool keeps_width =
        r.width == r.source_width && box.left == 0 && box.right == r.width;
    filter_x = !keeps_width || r.mirrored;
    filter_y =
        r.height != r.source_height || box.top != 0 || box.bottom != r.height;
    x = {
        Pass::kColumns,
        r.source_width,
        box.left,
        box.right,
        r.width,
        r.window.left,
        r.window.width,
        keeps_width ? Filter::kBox : r.filter,
        r.mirrored};
    y = {
        Pass::kRows,
        r.source_height,
        box.top,
        box.bottom,
        r.height,
        r.window.top,
        r.window.height,
        r.filter,
        false};
  }

  Span source_columns() const {
    return filter_x ? source_span(x) : Span{x.begin, x.begin + x.count};
  }
  Span source_rows() const {
    return filter_y ? source_span(y) : Span{y.begin, y.begin + y.count};
  }
};

// The pixels of a nearest resize; columns in the order they are written.
struct Nearest {
  std::vector<int> columns;
  std::vector<int> rows;

  explicit Nearest(const Resizing& r) {
    const Box box = box_of(r);
    const Rect& window = r.window;
    columns = nearest_pixels(
        r.source_width,
        box.left,
        box.right,
        r.width,
        window.left,
        window.width);
    rows = nearest_pixels(
        r.source_height,
        box.top,
        box.bottom,
        r.height,
        window.top,
        window.height);
    if (r.mirrored) {
      std::reverse(columns.begin(), columns.end());
    }
  }
};

// The span of pixels that nearest_pixels() gave, without its -1.
Span span_of(const std::vector<int>& pixels) {
  const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end());
  return {std::max(*low, 0), *high + 1};
}

} // namespace

Rect source_window(const Resizing& resizing) {
  check(resizing);
  Span x;
  Span y;
  if (resizing.filter == Filter::kNearest) {
    const Nearest nearest(resizing);
    x = span_of(nearest.columns);
    y = span_of(nearest.rows);
  } else {
    const Axes axes(resizing);
    x = axes.source_columns();
    y = axes.source_rows();
  }
  return {x.first, y.first, x.last - x.first, y.last - y.first};
}

struct Resampler::State {
  explicit State(const Kernels& of) : kernels(of) {}

  const Kernels& kernels;
  AxisCache axes;
  std::vector<std::uint8_t> columns; // the first pass' result
  std::vector<std::uint8_t> tail; // a row with room behind it
};

namespace {

// The first pass, done as far as the second one needs it, while its rows are
// still near.
class ColumnPass {
 public:
  // `source` holds the pixels of axis.span(), in rows [first, last); bytes from
  // `end` on must not be read.
  ColumnPass(
      const Axis& axis,
      const Kernels& kernels,
      Rows<const std::uint8_t> source,
      Span rows,
      const std::uint8_t* end,
      std::vector<std::uint8_t>& result,
      std::vector<std::uint8_t>& tail)
      : axis_(axis), kernels_(kernels), source_(source), tail_(tail) {
    const auto count = static_cast<std::size_t>(rows.last - rows.first);
    const auto outputs = static_cast<std::size_t>(axis.taps().outputs);
    // What the kernels write behind a row must not reach the next one.
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

  Rows<const std::uint8_t> result() const {
    return {result_.pixels, result_.stride};
  }

  // Computes the rows before `last`, counted from the first one.
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
  Rows<const std::uint8_t> source_row() const {
    return {
        source_.pixels + static_cast<std::size_t>(done_) * source_.stride,
        source_.stride};
  }
  Rows<std::uint8_t> result_row() const {
    return {
        result_.pixels + static_cast<std::size_t>(done_) * result_.stride,
        result_.stride};
  }

  const Axis& axis_;
  const Kernels& kernels_;
  Rows<const std::uint8_t> source_;
  Rows<std::uint8_t> result_;
  std::vector<std::uint8_t>& tail_;
  std::size_t row_bytes_ = 0;
  int roomy_ = 0; // rows that the kernel may read behind
  int done_ = 0;
};

// How many rows of the first pass are made at once.
constexpr int kRowsAtOnce = 4;

} // namespace

Resampler::Resampler(Simd simd) : state_(new State(kernels_of(simd))) {}
Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&& other) noexcept = default;
Resampler& Resampler::operator=(Resampler&& other) noexcept = default;

void Resampler::resize(
    const Resizing& resizing,
    const View& part,
    int left,
    int top,
    std::uint8_t* out,
    std::size_t stride) {
  check(resizing);
  if (resizing.filter == Filter::kNearest) {
    const Nearest nearest(resizing);
    pick(part, left, top, nearest.columns, nearest.rows, out, stride);
    return;
  }
  const Axes axes(resizing);
  const Span columns = axes.source_columns();
  const Span rows = axes.source_rows();
  VITRAIN_CHECK(
      left <= columns.first && top <= rows.first &&
          columns.last <= left + part.width && rows.last <= top + part.height,
      ExitCode::kInternal,
      "resize: the part lacks pixels of the window");

  const std::size_t row_bytes = static_cast<std::size_t>(axes.x.count) * 3;
  Rows<const std::uint8_t> source{
      part.row(rows.first - top) +
          3 * static_cast<std::size_t>(columns.first - left),
      part.stride};
  std::optional<ColumnPass> pass;
  if (axes.filter_x) {
    pass.emplace(
        state_->axes.get(axes.x, state_->kernels),
        state_->kernels,
        source,
        rows,
        part.row(part.height - 1) + static_cast<std::size_t>(part.width) * 3,
        state_->columns,
        state_->tail);
    source = pass->result();
  }
  const int row_count = rows.last - rows.first;
  if (!axes.filter_y) {
    if (pass) {
      pass->provide(row_count);
    }
    for (int y = 0; y < row_count; ++y) {
      const auto row = static_cast<std::size_t>(y);
      std::memcpy(
          out + row * stride, source.pixels + row * source.stride, row_bytes);
    }
    return;
  }
  const Axis& y_axis = state_->axes.get(axes.y, state_->kernels);
  int provided = 0;
  for (int y = 0; y < axes.y.count; ++y) {
    if (const int needed = y_axis.end_of(y) - rows.first;
        pass && needed > provided) {
      provided = std::min(
          (needed + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce, row_count);
      pass->provide(provided);
    }
    state_->kernels.row(
        y_axis.taps(),
        y,
        source,
        row_bytes,
        out + static_cast<std::size_t>(y) * stride);
  }
}

Image resize(
    const Image& image,
    int width,
    int height,
    Filter filter,
    std::optional<Box> box) {
  Image result;
  result.width = width;
  result.height = height;
  result.pixels.resize(static_cast<std::size_t>(width) * height * 3);
  Resampler().resize(
      {.source_width = image.width,
       .source_height = image.height,
       .width = width,
       .height = height,
       .filter = filter,
       .box = box,
       .window = {0, 0, width, height}},
      View(image),
      0,
      0,
      result.pixels.data(),
      static_cast<std::size_t>(width) * 3);
  return result;
}

} // namespace vitrain::image
