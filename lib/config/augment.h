#pragma once

#include <array>
#include <cstdint>

namespace vitrain::config {

enum class TrainCrop { kNone, kPad, kResized };

// Random changes to training images.
struct AugmentConfig {
  TrainCrop crop = TrainCrop::kResized;
  std::array<double, 2> scale{0.08, 1.0};
  std::array<double, 2> ratio{0.75, 4.0 / 3.0};
  std::int64_t padding = 4;
  double flip = 0.5;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "crop",
        crop,
        "`resized`: random resized crop; `pad`: random crop after padding "
        "with black; `none`: as in evaluation.");
    v.field("scale", scale, "`resized`: range of the crop's share of the area.")
        .each_more_than(0.0)
        .each_at_most(1.0)
        .ascending();
    v.field("ratio", ratio, "`resized`: range of width over height.")
        .each_more_than(0.0)
        .ascending();
    v.field("padding", padding, "`pad`: pixels on each side.")
        .in_range(0, 1024);
    v.field("flip", flip, "Probability of a horizontal flip.")
        .at_least(0.0)
        .at_most(1.0);
  }
};

} // namespace vitrain::config
