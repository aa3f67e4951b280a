#include "image/operations/random_crop.h"

#include <algorithm>
#include <cmath>

#include "image/operations/crop_math.h"

namespace vitrain::image {
namespace {

// Returns a random integer, uniform in [0, n].
int up_to(int n, Random& random) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(n) + 1));
}

double log_uniform(std::array<double, 2> range, Random& random) {
  return std::exp(random.uniform(std::log(range[0]), std::log(range[1])));
}

Overlap anywhere(int in, int size, Random& random) {
  const int offset = up_to(std::abs(in - size), random);
  return in < size ? Overlap{0, in, offset} : Overlap{offset, size, 0};
}

// One axis of plan_padded_crop(): returns the overlap of `in` pixels with the
// `size` pixels from `offset` on, counted from the padded corner.
Overlap padded(int in, int size, int padding, int offset) {
  const int begin = offset - padding; // position in the image
  const int first = std::clamp(begin, 0, in);
  const int last = std::clamp(begin + size, first, in);
  return {first, last - first, std::clamp(first - begin, 0, size)};
}

} // namespace

Rect draw_resized_crop(
    int width,
    int height,
    std::array<double, 2> scale,
    std::array<double, 2> ratio,
    Random& random) {
  const double area = static_cast<double>(width) * height;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * random.uniform(scale[0], scale[1]);
    const double aspect = log_uniform(ratio, random);
    const int w = round_half_even(std::sqrt(target * aspect));
    const int h = round_half_even(std::sqrt(target / aspect));
    if (w > 0 && w <= width && h > 0 && h <= height) {
      const int top = up_to(height - h, random);
      const int left = up_to(width - w, random);
      return {left, top, w, h};
    }
  }
  const double in_ratio = static_cast<double>(width) / height;
  int w = width;
  int h = height;
  if (in_ratio < ratio[0]) {
    h = round_half_even(w / ratio[0]);
  } else if (in_ratio > ratio[1]) {
    w = round_half_even(h * ratio[1]);
  }
  return {(width - w) / 2, (height - h) / 2, w, h};
}

CropPlan plan_resized_crop(const Rect& rect, const Size& size) {
  return {
      .size = size,
      .from = rect,
      .width = size.width,
      .height = size.height,
      .window = {0, 0, size.width, size.height}};
}

Size padded_crop_resize(int width, int height, const Size& size) {
  return size.width == size.height
      ? shorter_side_to(size.width, width, height)
      : in_proportion(size, width, height, /*inside=*/false);
}

CropPlan plan_padded_crop(
    int width,
    int height,
    const Size& size,
    int padding,
    int left,
    int top) {
  const Size to = padded_crop_resize(width, height, size);
  const Overlap x = padded(to.width, size.width, padding, left);
  const Overlap y = padded(to.height, size.height, padding, top);
  return plan_overlap(width, height, size, to, x, y);
}

KeepRatio draw_keep_ratio(
    std::array<double, 2> scale,
    std::array<double, 2> ratio,
    Random& random) {
  KeepRatio draw;
  if (random.uniform() < 0.5) {
    draw.zoom = 1.0 / std::sqrt(random.uniform(scale[0], scale[1]));
  }
  if (random.uniform() < 0.5) {
    draw.aspect = log_uniform(ratio, random);
  }
  return draw;
}

CropPlan plan_keep_ratio_crop(
    int width,
    int height,
    const Size& size,
    const KeepRatio& draw,
    Random* position) {
  const double factor = std::sqrt(draw.aspect);
  const Size to = in_proportion(
      size,
      width,
      height,
      /*inside=*/false,
      {.width = draw.zoom * factor, .height = draw.zoom / factor});
  const auto overlap = [&](int in, int side) {
    return position != nullptr ? anywhere(in, side, *position)
                               : centred(in, side);
  };
  const Overlap y = overlap(to.height, size.height);
  const Overlap x = overlap(to.width, size.width);
  CropPlan plan = plan_overlap(width, height, size, to, x, y);
  plan.border = CropPlan::Border::kReflect;
  return plan;
}

} // namespace vitrain::image
