#include "image/resample/crop.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vitrain::image {
namespace {

Resizing resizing_of(const CropPlan& plan) {
  return {
      .source_width = plan.from.width,
      .source_height = plan.from.height,
      .width = plan.width,
      .height = plan.height,
      .filter = plan.filter,
      .window = plan.window,
      .mirrored = plan.mirrored,
      .pillow = plan.pillow};
}

bool is_empty(const Rect& rect) {
  return rect.width <= 0 || rect.height <= 0;
}

// Where position `at` of an axis takes its pixel from if the image lies in
// [begin, begin + count) and is continued by reflection at its outermost
// pixels.
int reflected(int at, int begin, int count) {
  if (count == 1) {
    return begin;
  }
  const int period = 2 * (count - 1);
  const int phase = ((at - begin) % period + period) % period;
  return begin + std::min(phase, period - phase);
}

class Square {
 public:
  Square(std::uint8_t* pixels, int size) : pixels_(pixels), size_(size) {}

  std::uint8_t* at(int x, int y) const {
    return pixels_ + (static_cast<std::size_t>(y) * size_ + x) * 3;
  }
  std::size_t stride() const { return static_cast<std::size_t>(size_) * 3; }

  // Both write what lies outside of `inner`.
  void fill(const Rect& inner, const std::array<std::uint8_t, 3>& colour) {
    for (int y = 0; y < size_; ++y) {
      const bool outside = y < inner.top || y >= inner.top + inner.height;
      fill_with({at(0, y), at(outside ? size_ : inner.left, y)}, colour);
      if (!outside) {
        fill_with({at(inner.left + inner.width, y), at(size_, y)}, colour);
      }
    }
  }
  void reflect(const Rect& inner) {
    for (int y = inner.top; y < inner.top + inner.height; ++y) {
      for (int x = 0; x < size_; ++x) {
        if (const int from = reflected(x, inner.left, inner.width); from != x) {
          std::memcpy(at(x, y), at(from, y), 3);
        }
      }
    }
    for (int y = 0; y < size_; ++y) {
      if (const int from = reflected(y, inner.top, inner.height); from != y) {
        std::memcpy(at(0, y), at(0, from), stride());
      }
    }
  }

 private:
  std::uint8_t* pixels_;
  int size_;
};

Size resized(int width, int height, int to, CropMode mode) {
  switch (mode) {
    case CropMode::kCenter:
      return shorter_side_to(to, width, height);
    case CropMode::kSquash:
      return {to, to};
    case CropMode::kBorder: {
      const double ratio = std::max(
          static_cast<double>(height) / to, static_cast<double>(width) / to);
      return {
          std::max(round_half_even(width / ratio), 1),
          std::max(round_half_even(height / ratio), 1)};
    }
  }
  return {to, to};
}

} // namespace

Rect CropPlan::source() const {
  if (is_empty(window)) {
    return {from.left, from.top, 0, 0};
  }
  Rect rect = source_window(resizing_of(*this));
  rect.left += from.left;
  rect.top += from.top;
  return rect;
}

CropPlan
plan_overlap(int width, int height, int size, Size to, Overlap x, Overlap y) {
  return {
      .size = size,
      .from = {0, 0, width, height},
      .width = to.width,
      .height = to.height,
      .window = {x.first, y.first, x.count, y.count},
      .left = x.at,
      .top = y.at};
}

CropPlan plan_eval_crop(int width, int height, const EvalCrop& crop) {
  const int to = crop.resize > 0
      ? crop.resize
      : static_cast<int>(std::floor(crop.size / crop.crop_pct));
  const Size size = resized(width, height, to, crop.mode);
  const Overlap x = centred(size.width, crop.size);
  const Overlap y = centred(size.height, crop.size);
  CropPlan plan = plan_overlap(width, height, crop.size, size, x, y);
  plan.filter = crop.filter;
  plan.fill = crop.fill;
  return plan;
}

void cut(
    const CropPlan& plan,
    const ImagePart& part,
    Resampler& resampler,
    std::span<std::uint8_t> out) {
  Square square(out.data(), plan.size);
  if (is_empty(plan.window)) {
    square.fill({}, plan.fill);
    return;
  }
  const Rect inner{
      plan.mirrored ? plan.size - plan.left - plan.window.width : plan.left,
      plan.top,
      plan.window.width,
      plan.window.height};
  resampler.resize(
      resizing_of(plan),
      {part.view, part.left - plan.from.left, part.top - plan.from.top},
      square.at(inner.left, inner.top),
      square.stride());
  if (inner.width == plan.size && inner.height == plan.size) {
    return;
  }
  if (plan.border == CropPlan::Border::kFill) {
    square.fill(inner, plan.fill);
  } else {
    square.reflect(inner);
  }
}

} // namespace vitrain::image
