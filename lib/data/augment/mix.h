#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "image/image.h"
#include "options/mix_mode.h"

namespace vitrain::data {

// Options of Mixup and CutMix, as in timm's Mixup (1.0).
struct MixOptions {
  // Alpha: the sample's weight is Beta(mixup, mixup) distributed; 0: no mixup.
  double mixup = 0.0;
  // Alpha of CutMix: the fraction of the image outside the box, before the box
  // is clipped, is Beta(cutmix, cutmix) distributed; 0: no CutMix.
  double cutmix = 0.0;
  // CutMix with boxes whose sides are between these fractions of the image's
  // sides (the larger one excluded); `cutmix` is then ignored.
  std::optional<std::array<double, 2>> cutmix_minmax;
  double prob = 1.0; // probability of any mixing
  double switch_prob = 0.5; // probability of CutMix if both are active
  MixMode mode = MixMode::kBatch;
  std::uint64_t seed = 0;

  bool mixes() const { return mixup > 0.0; }
  bool cuts() const { return cutmix > 0.0 || cutmix_minmax; }
};

// Description of how a sample is mixed with its partner. Pixels: weight
// `pixels` for the sample's, 1 - `pixels` for the partner's; inside `box` the
// partner's replace the sample's. Label: weight `label` for the sample's, 1 -
// `label` for the partner's.
struct Mix {
  double pixels = 1.0;
  image::Rect box; // area 0: no box
  double label = 1.0;

  bool operator==(const Mix&) const = default;
};

// Returns CutMix's box, centred on a pixel and clipped to the image. Before
// clipping each side is sqrt(1 - `keep`) of the image's, rounded down.
image::Rect
cutmix_box(int height, int width, double keep, int centre_y, int centre_x);
// Returns the mix for a box. The label's weight is the fraction of the image's
// area outside the box.
Mix cut(const image::Rect& box, int height, int width);

// Samples how the rows of a micro-batch are mixed; the partner of row i is row
// rows - 1 - i. A pure function of its arguments. `micro_batch` is the index
// within the global batch of optimizer step `step`. With an odd number of rows
// (an error in timm) the middle row is not mixed.
std::vector<Mix> draw_mixes(
    const MixOptions& options,
    std::int64_t step,
    std::int64_t micro_batch,
    std::int64_t rows,
    int height,
    int width);

} // namespace vitrain::data
