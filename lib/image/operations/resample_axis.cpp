#include "image/operations/resample_axis.h"

#include <algorithm>

namespace vitrain::image {
namespace {

// A filter's curve, and its radius.
struct Shape {
  ResampleFilter curve;
  double reach;
};

Shape shape_of(Filter filter) {
  switch (filter) {
    case Filter::kNearest:
    case Filter::kBox:
      break;
    case Filter::kBilinear:
      return {ResampleFilter::kBilinear, 1.0};
    case Filter::kHamming:
      return {ResampleFilter::kHamming, 1.0};
    case Filter::kBicubic:
      return {ResampleFilter::kBicubic, 2.0};
    case Filter::kLanczos:
      return {ResampleFilter::kLanczos, 3.0};
  }
  return {ResampleFilter::kBox, 0.5};
}

// Geometry of an axis, with the same operations in the same order as in Pillow.
struct Geometry {
  double low;
  double scale;
  double widening;
  double support;
  int in;

  explicit Geometry(const AxisKey& key)
      : low(key.low),
        // The difference is computed in single precision.
        scale(static_cast<double>(key.high - key.low) / key.out),
        widening(std::max(scale, 1.0)),
        support(shape_of(key.filter).reach * widening),
        in(key.in) {}

  double center(int output) const { return low + (output + 0.5) * scale; }
  // Truncates towards zero, then clamps to the image.
  // NOLINTBEGIN(bugprone-incorrect-roundings)
  int first(double center) const {
    return std::max(static_cast<int>(center - support + 0.5), 0);
  }
  int last(double center) const {
    return std::min(static_cast<int>(center + support + 0.5), in);
  }
  // NOLINTEND(bugprone-incorrect-roundings)
};

} // namespace

Span source_span(const AxisKey& key) {
  const Geometry geometry(key);
  return {
      geometry.first(geometry.center(key.begin)),
      geometry.last(geometry.center(key.begin + key.count - 1))};
}

std::vector<int> nearest_pixels(const AxisKey& key) {
  const double step = static_cast<double>(key.high - key.low) / key.out;
  // Accumulates positions from the first output on, as Pillow does; a product
  // would be rounded differently.
  double position = key.low + step * 0.5;
  for (int i = 0; i < key.begin; ++i) {
    position += step;
  }
  std::vector<int> pixels(static_cast<std::size_t>(key.count));
  for (int& pixel : pixels) {
    pixel = position < key.in ? static_cast<int>(position) : -1;
    position += step;
  }
  if (key.mirrored) {
    std::ranges::reverse(pixels);
  }
  return pixels;
}

void Axis::compute(const AxisKey& key, const Kernels& kernels) {
  const Geometry geometry(key);
  key_ = key;
  span_ = source_span(key);
  const auto outputs = static_cast<std::size_t>(key.count);
  centers_.resize(outputs);
  first_.resize(outputs);
  counts_.resize(outputs);
  int most = 0;
  for (int i = 0; i < key.count; ++i) {
    const int output = key.begin + (key.mirrored ? key.count - 1 - i : i);
    const double center = geometry.center(output);
    const int first = geometry.first(center);
    const auto at = static_cast<std::size_t>(i);
    centers_[at] = center;
    first_[at] = first - span_.first;
    counts_[at] = std::max(geometry.last(center) - first, 0);
    most = std::max(most, counts_[at]);
  }
  const std::size_t stride = (static_cast<std::size_t>(most) + 3) / 4 * 4;
  weights_.assign(outputs * stride, 0);
  exact_.resize(stride);
  taps_ = {
      .outputs = key.count,
      .origin = span_.first,
      .first = first_.data(),
      .counts = counts_.data(),
      .weights = weights_.data(),
      .stride = static_cast<int>(stride)};
  kernels.weigh(
      taps_,
      shape_of(key.filter).curve,
      centers_.data(),
      1.0 / geometry.widening,
      exact_.data()->numbers,
      weights_.data());

  const bool columns = key.pass == Pass::kColumns;
  const std::size_t words = columns ? kernels.words_for_columns(taps_)
                                    : kernels.words_for_rows(taps_);
  prepared_.resize((words + 15) / 16);
  if (words > 0) {
    std::uint32_t* prepared = prepared_.front().words;
    (columns ? kernels.prepare_columns : kernels.prepare_rows)(taps_, prepared);
    taps_.prepared = prepared;
  }
}

const Axis& AxisCache::get(const AxisKey& key, const Kernels& kernels) {
  ++now_;
  Entry* oldest = entries_.data();
  for (Entry& entry : entries_) {
    if (entry.used > 0 && entry.axis.key() == key) {
      entry.used = now_;
      return entry.axis;
    }
    if (entry.used < oldest->used) {
      oldest = &entry;
    }
  }
  oldest->used = now_;
  oldest->axis.compute(key, kernels);
  return oldest->axis;
}

} // namespace vitrain::image
