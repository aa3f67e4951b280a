#include "image/operations/crop_plan.h"

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

// Returns the position that supplies the pixel at `at` of an axis if the image
// is in [begin, begin + count) and is extended by reflection about its
// outermost pixels.
int reflected(int at, int begin, int count) {
  if (count == 1) {
    return begin;
  }
  const int period = 2 * (count - 1);
  const int phase = ((at - begin) % period + period) % period;
  return begin + std::min(phase, period - phase);
}

class Result {
 public:
  Result(std::uint8_t* pixels, const Size& size)
      : pixels_(pixels), size_(size) {}

  std::uint8_t* at(int x, int y) const {
    return pixels_ + (static_cast<std::size_t>(y) * size_.width + x) * 3;
  }
  std::size_t stride() const {
    return static_cast<std::size_t>(size_.width) * 3;
  }

  // fill() and reflect() write the pixels outside `inner`.
  void fill(const Rect& inner, const std::array<std::uint8_t, 3>& colour) {
    for (int y = 0; y < size_.height; ++y) {
      const bool outside = y < inner.top || y >= inner.top + inner.height;
      fill_with({at(0, y), at(outside ? size_.width : inner.left, y)}, colour);
      if (!outside) {
        fill_with(
            {at(inner.left + inner.width, y), at(size_.width, y)}, colour);
      }
    }
  }
  void reflect(const Rect& inner) {
    for (int y = inner.top; y < inner.top + inner.height; ++y) {
      for (int x = 0; x < size_.width; ++x) {
        if (const int from = reflected(x, inner.left, inner.width); from != x) {
          std::memcpy(at(x, y), at(from, y), 3);
        }
      }
    }
    for (int y = 0; y < size_.height; ++y) {
      if (const int from = reflected(y, inner.top, inner.height); from != y) {
        std::memcpy(at(0, y), at(0, from), stride());
      }
    }
  }

 private:
  std::uint8_t* pixels_;
  Size size_;
};

// Returns the size to which the image is resized before the centre crop.
Size resized(int width, int height, const EvalCrop& crop) {
  const auto scaled = [&](int side) {
    return crop.resize > 0 ? crop.resize
                           : static_cast<int>(std::floor(side / crop.crop_pct));
  };
  const Size to(scaled(crop.size.width), scaled(crop.size.height));
  if (crop.mode == CropMode::kSquash) {
    return to;
  }
  if (crop.mode == CropMode::kCenter && to.width == to.height) {
    return shorter_side_to(to.width, width, height);
  }
  return in_proportion(to, width, height, crop.mode == CropMode::kBorder);
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

CropPlan plan_overlap(
    int width,
    int height,
    const Size& size,
    const Size& to,
    Overlap x,
    Overlap y) {
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
  const Size to = resized(width, height, crop);
  const Overlap x = centred(to.width, crop.size.width);
  const Overlap y = centred(to.height, crop.size.height);
  CropPlan plan = plan_overlap(width, height, crop.size, to, x, y);
  plan.filter = crop.filter;
  plan.fill = crop.fill;
  return plan;
}

void cut(
    const CropPlan& plan,
    const ImagePart& part,
    Resampler& resampler,
    std::span<std::uint8_t> out) {
  Result result(out.data(), plan.size);
  if (is_empty(plan.window)) {
    result.fill({}, plan.fill);
    return;
  }
  const Rect inner{
      plan.mirrored ? plan.size.width - plan.left - plan.window.width
                    : plan.left,
      plan.top,
      plan.window.width,
      plan.window.height};
  resampler.resize(
      resizing_of(plan),
      {part.view, part.left - plan.from.left, part.top - plan.from.top},
      result.at(inner.left, inner.top),
      result.stride());
  if (inner.width == plan.size.width && inner.height == plan.size.height) {
    return;
  }
  if (plan.border == CropPlan::Border::kFill) {
    result.fill(inner, plan.fill);
  } else {
    result.reflect(inner);
  }
}

} // namespace vitrain::image
