#include "image/operations/resample.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/check.h"
#include "image/operations/column_pass.h"
#include "image/operations/resample_axis.h"

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

// The two axes of a resize. An axis that keeps its length is copied, unless it
// is mirrored: then it is filtered with the same length, which does not change
// values.
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

bool takes_rows_first(const Resizing& r) {
  const std::int64_t lower = std::int64_t{r.source_height} - r.height;
  const std::int64_t narrower = std::int64_t{r.source_width} - r.width;
  return r.pillow == Pillow::k13 && lower > 0 && lower > 2 * narrower;
}

// Returns the span of the result of nearest_pixels(), ignoring -1.
Span span_of(const std::vector<int>& pixels) {
  const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end());
  return {std::max(*low, 0), *high + 1};
}

} // namespace

Rect source_window(const Resizing& resizing) {
  check(resizing);
  const Axes axes(resizing);
  const bool nearest = resizing.filter == Filter::kNearest;
  const Span x =
      nearest ? span_of(nearest_pixels(axes.x)) : axes.source_columns();
  const Span y = nearest ? span_of(nearest_pixels(axes.y)) : axes.source_rows();
  return {x.first, y.first, x.last - x.first, y.last - y.first};
}

struct Resampler::State {
  explicit State(const Kernels& of) : kernels(of) {}

  const Kernels& kernels;
  AxisCache axes;
  std::vector<std::uint8_t> between; // result of the first pass
  // Copies of rows, with kernels.slack bytes after them.
  std::vector<std::uint8_t> tail;
};

namespace {

// Number of rows that are computed at once in the first pass.
constexpr int kRowsAtOnce = 4;

// Memory for Resizing::window; rows start `stride` bytes apart.
struct Target {
  std::uint8_t* pixels;
  std::size_t stride;

  std::uint8_t* row(int y) const {
    return pixels + static_cast<std::size_t>(y) * stride;
  }
};

// Copies rows `rows` and columns `columns` of the source; -1 gives black.
void pick(
    const ImagePart& part,
    const std::vector<int>& columns,
    const std::vector<int>& rows,
    const Target& out) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint8_t* to = out.row(static_cast<int>(i));
    if (rows[i] < 0) {
      std::fill_n(to, columns.size() * 3, std::uint8_t{0});
      continue;
    }
    const std::uint8_t* row = part.view.row(rows[i] - part.top);
    for (const int x : columns) {
      const std::uint8_t* pixel =
          row + 3 * static_cast<std::ptrdiff_t>(x - part.left);
      to[0] = x < 0 ? 0 : pixel[0];
      to[1] = x < 0 ? 0 : pixel[1];
      to[2] = x < 0 ? 0 : pixel[2];
      to += 3;
    }
  }
}

// Runs the second pass on the rows that the first pass `first` computes or, if
// it is null, on source rows.
void run_row_pass(
    const Axes& axes,
    const Axis& axis,
    const Kernels& kernels,
    RowBlock<const std::uint8_t> source,
    ColumnPass* first,
    const Target& out) {
  const std::size_t row_bytes = static_cast<std::size_t>(axes.x.count) * 3;
  const Span rows = axes.source_rows();
  int provided = 0;
  for (int y = 0; y < axes.y.count; ++y) {
    if (const int needed = axis.end_of(y) - rows.first;
        first != nullptr && needed > provided) {
      provided = std::min(
          (needed + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce,
          rows.last - rows.first);
      first->provide(provided);
    }
    kernels.row(axis.taps(), y, source, row_bytes, out.row(y));
  }
}

// Runs both passes with the rows first, a few rows of the result at a time.
void run_rows_first(
    const Axes& axes,
    RowBlock<const std::uint8_t> source,
    const Kernels& kernels,
    AxisCache& cache,
    std::vector<std::uint8_t>& between,
    std::vector<std::uint8_t>& tail,
    const Target& out) {
  const Axis& x = cache.get(axes.x, kernels);
  const Axis& y = cache.get(axes.y, kernels);
  const Span columns = x.span();
  const std::size_t between_bytes =
      3 * static_cast<std::size_t>(columns.last - columns.first);
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(axes.x.count);
  between.resize(kRowsAtOnce * (between_bytes + kernels.slack));
  tail.resize(kRowsAtOnce * (row_bytes + kernels.slack));
  const RowBlock<std::uint8_t> low{
      between.data(), between_bytes + kernels.slack};
  const RowBlock<std::uint8_t> done{tail.data(), row_bytes + kernels.slack};
  for (int top = 0; top < axes.y.count; top += kRowsAtOnce) {
    const int count = std::min(kRowsAtOnce, axes.y.count - top);
    for (int i = 0; i < count; ++i) {
      kernels.row(
          y.taps(),
          top + i,
          source,
          between_bytes,
          low.pixels + static_cast<std::size_t>(i) * low.stride);
    }
    kernels.columns(x.taps(), {low.pixels, low.stride}, count, done);
    for (int i = 0; i < count; ++i) {
      std::memcpy(
          out.row(top + i),
          done.pixels + static_cast<std::size_t>(i) * done.stride,
          row_bytes);
    }
  }
}

} // namespace

Resampler::Resampler(Simd simd) : state_(new State(kernels_of(simd))) {}
Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&& other) noexcept = default;
Resampler& Resampler::operator=(Resampler&& other) noexcept = default;

void Resampler::resize(
    const Resizing& resizing,
    const ImagePart& part,
    std::uint8_t* out,
    std::size_t stride) {
  check(resizing);
  const Axes axes(resizing);
  const Target target{out, stride};
  if (resizing.filter == Filter::kNearest) {
    pick(part, nearest_pixels(axes.x), nearest_pixels(axes.y), target);
    return;
  }
  const Span columns = axes.source_columns();
  const Span rows = axes.source_rows();
  VITRAIN_CHECK(
      part.left <= columns.first && part.top <= rows.first &&
          columns.last <= part.left + part.view.width &&
          rows.last <= part.top + part.view.height,
      ExitCode::kInternal,
      "resize: the part lacks pixels of the window");

  const Kernels& kernels = state_->kernels;
  RowBlock<const std::uint8_t> source{
      part.view.row(rows.first - part.top) +
          3 * static_cast<std::size_t>(columns.first - part.left),
      part.view.stride};
  if (axes.filter_x && axes.filter_y && takes_rows_first(resizing)) {
    run_rows_first(
        axes,
        source,
        kernels,
        state_->axes,
        state_->between,
        state_->tail,
        target);
    return;
  }
  std::optional<ColumnPass> pass;
  if (axes.filter_x) {
    pass.emplace(
        state_->axes.get(axes.x, kernels),
        kernels,
        source,
        rows,
        part.view.row(part.view.height - 1) +
            static_cast<std::size_t>(part.view.width) * 3,
        state_->between,
        state_->tail);
    source = pass->result();
  }
  if (axes.filter_y) {
    run_row_pass(
        axes,
        state_->axes.get(axes.y, kernels),
        kernels,
        source,
        pass ? &*pass : nullptr,
        target);
    return;
  }
  if (pass) {
    pass->provide(rows.last - rows.first);
  }
  for (int y = 0; y < rows.last - rows.first; ++y) {
    std::memcpy(
        target.row(y),
        source.pixels + static_cast<std::size_t>(y) * source.stride,
        static_cast<std::size_t>(axes.x.count) * 3);
  }
}

Image resize(
    const Image& image,
    int width,
    int height,
    Filter filter,
    std::optional<Box> box,
    Pillow pillow) {
  Image result(width, height);
  Resampler().resize(
      {.source_width = image.width,
       .source_height = image.height,
       .width = width,
       .height = height,
       .filter = filter,
       .box = box,
       .window = {0, 0, width, height},
       .pillow = pillow},
      {View(image)},
      result.pixels.data(),
      static_cast<std::size_t>(width) * 3);
  return result;
}

} // namespace vitrain::image
