#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "image/image.h"
#include "options/mix_mode.h"

namespace vitrain::data {

// Mixup and CutMix as timm's Mixup (1.0) draws them.
struct MixOptions {
  double mixup = 0.0; // shares are Beta(mixup, mixup); 0: no mixup
  double cutmix = 0.0; // likewise
  // CutMix (with cutmix = 1) whose boxes have sides between these shares of the
  // image's.
  std::optional<std::array<double, 2>> cutmix_minmax;
  double prob = 1.0;
  double switch_prob = 0.5; // probability of CutMix, if mixup is active too
  MixMode mode = MixMode::kBatch;
  std::uint64_t seed = 0;

  bool mixes() const { return mixup > 0.0; }
  bool cuts() const { return cutmix > 0.0 || cutmix_minmax; }
};

// Mix of a sample with its partner: its pixels have weight `pixels`, the
// partner's the rest; inside `box` the partner's pixels replace them; its label
// has weight `label`, the partner's the rest.
struct Mix {
  double pixels = 1.0;
  image::Rect box; // without area: none
  double label = 1.0;

  bool operator==(const Mix&) const = default;
};

// CutMix's box for a share `keep` of the area, clipped at the border; its
// centre is a pixel.
image::Rect
cutmix_box(int height, int width, double keep, int centre_y, int centre_x);
// The sample with such a box: its label has the share of the area that is left.
Mix cut(const image::Rect& box, int height, int width);

// How the samples of a micro-batch are mixed; row i's partner is row
// rows - 1 - i. A pure function of its arguments; `micro_batch` counts over the
// global batch of optimizer step `step`. With an odd number of rows (timm
// refuses it) the middle one is its own partner and stays as it is.
std::vector<Mix> draw_mixes(
    const MixOptions& options,
    std::int64_t step,
    std::int64_t micro_batch,
    std::int64_t rows,
    int height,
    int width);

} // namespace vitrain::data
