#pragma once

#include <array>
#include <cstdint>

#include "core/enum_names.h"

namespace vitrain::config {

enum class EraseMode { kConst, kRand, kPixel };
constexpr auto names_of(EraseMode) {
  using enum EraseMode;
  return enum_names<EraseMode>(
      {{kConst, "const"}, {kRand, "rand"}, {kPixel, "pixel"}});
}

// Random erasing (Zhong et al., "Random erasing data augmentation", AAAI 2020)
// as timm's RandomErasing does it; part of data.augment.
struct EraseConfig {
  double erasing = 0.0;
  EraseMode erasing_mode = EraseMode::kPixel;
  std::int64_t erasing_count = 1;
  std::array<double, 2> erasing_area{0.02, 1.0 / 3.0};
  std::array<double, 2> erasing_aspect{0.3, 1.0 / 0.3};
  bool erasing_clean = true;

  bool active() const { return erasing > 0.0; }

  template <typename Visitor>
  void visit(Visitor& v) {
    const auto erases = [this] { return active(); };
    v.field(
         "erasing",
         erasing,
         "Probability that boxes of an image are erased, after normalisation "
         "and before mixup.")
        .in_range(0.0, 1.0);
    v.field(
         "erasing_mode",
         erasing_mode,
         "What the boxes are filled with: 0 (`const`), one normally "
         "distributed colour a box (`rand`), normally distributed numbers "
         "(`pixel`).")
        .needs("data.augment.erasing", erases);
    v.field(
         "erasing_count",
         erasing_count,
         "Most boxes in an image, which divide the area; their number is "
         "uniform from 1.")
        .in_range(1, 64)
        .needs("data.augment.erasing", erases);
    v.field(
         "erasing_area", erasing_area, "Range of the erased share of the area.")
        .each_more_than(0.0)
        .each_at_most(1.0)
        .ascending()
        .needs("data.augment.erasing", erases);
    v.field(
         "erasing_aspect",
         erasing_aspect,
         "Range of a box's height over its width (log-uniform).")
        .each_more_than(0.0)
        .ascending()
        .needs("data.augment.erasing", erases);
    v.field(
         "erasing_clean",
         erasing_clean,
         "train.loss: jensen_shannon: the version of an image without "
         "augmentation is erased too; false: only the other versions.")
        .needs("data.augment.erasing", erases);
  }
};

} // namespace vitrain::config
