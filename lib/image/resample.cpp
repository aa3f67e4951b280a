#include "image/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/check.h"

namespace vitrain::image {
namespace {

// Weights are rounded to 22 bits after the point: with 8-bit pixels and sums
// of weights below 4 in magnitude, a sum fits 32 bits.
constexpr int kPrecision = 22;
constexpr std::int32_t kHalf = 1 << (kPrecision - 1);

double bilinear(double x) {
  x = std::abs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

// Keys' cubic convolution ("Cubic convolution interpolation for digital image
// processing", IEEE Trans. ASSP 29, 1981) with a = -0.5.
double bicubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1.0) {
    return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  }
  if (x < 2.0) {
    return (((x - 5) * x + 8) * x - 4) * kA;
  }
  return 0.0;
}

// Which source pixels an output pixel sums, and with which weights.
struct Taps {
  int first = 0;
  int count = 0;
};

// The taps of `outputs` consecutive output pixels along one axis.
struct Axis {
  std::vector<Taps> taps;
  std::vector<std::int32_t> weights; // row i starts at i * stride
  int stride = 0;

  const std::int32_t* weights_of(int i) const {
    return weights.data() + static_cast<std::size_t>(i) * stride;
  }
};

std::int32_t to_fixed(double weight) {
  const double scaled = weight * (1 << kPrecision);
  return static_cast<std::int32_t>(weight < 0 ? scaled - 0.5 : scaled + 0.5);
}

// Source interval [low, high) of an axis of `in` pixels scaled to `out` pixels;
// taps of the outputs [begin, begin + count).
Axis make_axis(
    int in,
    float low,
    float high,
    int out,
    int begin,
    int count,
    Filter filter) {
  // The difference is taken in single precision, as Pillow takes it.
  const double scale = static_cast<double>(high - low) / out;
  const double widening = std::max(scale, 1.0);
  const double support = (filter == Filter::kBilinear ? 1.0 : 2.0) * widening;
  const auto weight = filter == Filter::kBilinear ? bilinear : bicubic;
  Axis axis;
  axis.stride = static_cast<int>(std::ceil(support)) * 2 + 1;
  axis.taps.resize(static_cast<std::size_t>(count));
  axis.weights.resize(static_cast<std::size_t>(count) * axis.stride);
  std::vector<double> exact(static_cast<std::size_t>(axis.stride));
  for (int i = 0; i < count; ++i) {
    const double center = low + (begin + i + 0.5) * scale;
    // Rounded by truncation towards zero, as Pillow does, then cut to the
    // image. NOLINTBEGIN(bugprone-incorrect-roundings)
    const int first = std::max(static_cast<int>(center - support + 0.5), 0);
    const int last = std::min(static_cast<int>(center + support + 0.5), in);
    // NOLINTEND(bugprone-incorrect-roundings)
    const int taps = last - first;
    double sum = 0;
    for (int k = 0; k < taps; ++k) {
      exact[k] = weight((k + first - center + 0.5) * (1.0 / widening));
      sum += exact[k];
    }
    std::int32_t* fixed =
        axis.weights.data() + static_cast<std::size_t>(i) * axis.stride;
    for (int k = 0; k < taps; ++k) {
      fixed[k] = to_fixed(sum != 0 ? exact[k] / sum : exact[k]);
    }
    axis.taps[i] = {first, taps};
  }
  return axis;
}

std::uint8_t to_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kPrecision, 0, 255));
}

void resample_row(
    const std::uint8_t* row,
    const Axis& axis,
    std::uint8_t* out) {
  for (std::size_t i = 0; i < axis.taps.size(); ++i, out += 3) {
    const Taps taps = axis.taps[i];
    const std::int32_t* weights = axis.weights_of(static_cast<int>(i));
    const std::uint8_t* pixel = row + static_cast<std::size_t>(taps.first) * 3;
    std::int32_t r = kHalf;
    std::int32_t g = kHalf;
    std::int32_t b = kHalf;
    for (int k = 0; k < taps.count; ++k, pixel += 3) {
      r += pixel[0] * weights[k];
      g += pixel[1] * weights[k];
      b += pixel[2] * weights[k];
    }
    out[0] = to_byte(r);
    out[1] = to_byte(g);
    out[2] = to_byte(b);
  }
}

// Rows [first, first + rows) of the view, resampled to axis.taps.size()
// columns.
std::vector<std::uint8_t>
resample_columns(const View& view, const Axis& axis, int first, int rows) {
  const std::size_t stride = axis.taps.size() * 3;
  std::vector<std::uint8_t> out(stride * static_cast<std::size_t>(rows));
  for (int y = 0; y < rows; ++y) {
    resample_row(
        view.row(first + y),
        axis,
        out.data() + static_cast<std::size_t>(y) * stride);
  }
  return out;
}

// `bytes` bytes of every output row. `first` is the source row at `rows`.
void resample_rows(
    const std::uint8_t* rows,
    std::size_t stride,
    int first,
    std::size_t bytes,
    const Axis& axis,
    std::uint8_t* out) {
  std::vector<std::int32_t> sums(bytes);
  for (std::size_t i = 0; i < axis.taps.size(); ++i, out += bytes) {
    const Taps taps = axis.taps[i];
    const std::int32_t* weights = axis.weights_of(static_cast<int>(i));
    std::fill(sums.begin(), sums.end(), kHalf);
    for (int k = 0; k < taps.count; ++k) {
      const std::uint8_t* row =
          rows + static_cast<std::size_t>(taps.first - first + k) * stride;
      const std::int32_t weight = weights[k];
      for (std::size_t x = 0; x < bytes; ++x) {
        sums[x] += row[x] * weight;
      }
    }
    for (std::size_t x = 0; x < bytes; ++x) {
      out[x] = to_byte(sums[x]);
    }
  }
}

} // namespace

void resize_window(
    const View& view,
    int width,
    int height,
    Filter filter,
    std::optional<Box> box,
    const Rect& window,
    std::span<std::uint8_t> out) {
  const Box whole{
      0, 0, static_cast<float>(view.width), static_cast<float>(view.height)};
  const Box from = box.value_or(whole);
  const std::size_t row_bytes = static_cast<std::size_t>(window.width) * 3;
  // An axis that keeps its length is copied, not filtered.
  const bool filter_x =
      width != view.width || from.left != 0 || from.right != whole.right;
  const bool filter_y =
      height != view.height || from.top != 0 || from.bottom != whole.bottom;

  int first_row = window.top;
  int rows = window.height;
  Axis y_axis;
  if (filter_y) {
    y_axis = make_axis(
        view.height,
        from.top,
        from.bottom,
        height,
        window.top,
        window.height,
        filter);
    first_row = y_axis.taps.front().first;
    rows = y_axis.taps.back().first + y_axis.taps.back().count - first_row;
  }
  std::vector<std::uint8_t> columns;
  const std::uint8_t* source =
      view.row(first_row) + static_cast<std::size_t>(window.left) * 3;
  std::size_t stride = view.stride;
  if (filter_x) {
    const Axis x_axis = make_axis(
        view.width,
        from.left,
        from.right,
        width,
        window.left,
        window.width,
        filter);
    columns = resample_columns(view, x_axis, first_row, rows);
    source = columns.data();
    stride = row_bytes;
  }
  if (filter_y) {
    resample_rows(source, stride, first_row, row_bytes, y_axis, out.data());
    return;
  }
  for (int y = 0; y < rows; ++y) {
    std::memcpy(
        out.data() + static_cast<std::size_t>(y) * row_bytes,
        source + static_cast<std::size_t>(y) * stride,
        row_bytes);
  }
}

Image resize(
    const Image& image,
    int width,
    int height,
    Filter filter,
    std::optional<Box> box) {
  VITRAIN_CHECK(
      width > 0 && height > 0,
      ExitCode::kInternal,
      "resize: the size has to be positive");
  if (box) {
    VITRAIN_CHECK(
        box->left >= 0 && box->top >= 0 && box->right > box->left &&
            box->bottom > box->top &&
            box->right <= static_cast<float>(image.width) &&
            box->bottom <= static_cast<float>(image.height),
        ExitCode::kInternal,
        "resize: the box has to lie inside the image");
  }
  Image result;
  result.width = width;
  result.height = height;
  result.pixels.resize(static_cast<std::size_t>(width) * height * 3);
  resize_window(
      View(image),
      width,
      height,
      filter,
      box,
      {0, 0, width, height},
      result.pixels);
  return result;
}

} // namespace vitrain::image
