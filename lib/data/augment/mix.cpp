#include "data/augment/mix.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"

namespace vitrain::data {
namespace {

int draw_below(Random& random, int n) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
}

// Returns the fraction `share` of a side, truncated as timm's int() does.
int cut_side(int length, double share) {
  return static_cast<int>(length * share);
}

// Samples the length of a box side between two fractions of `length`, the
// larger one excluded; if both are equal, returns that length.
int draw_side(Random& random, int length, const std::array<double, 2>& shares) {
  const int low = cut_side(length, shares[0]);
  const int high = cut_side(length, shares[1]);
  return low + draw_below(random, std::max(1, high - low));
}

Mix draw_cut(
    Random& random,
    const MixOptions& options,
    double keep,
    int height,
    int width) {
  if (!options.cutmix_minmax) {
    const int y = draw_below(random, height);
    const int x = draw_below(random, width);
    return cut(cutmix_box(height, width, keep, y, x), height, width);
  }
  image::Rect box;
  box.height = draw_side(random, height, *options.cutmix_minmax);
  box.width = draw_side(random, width, *options.cutmix_minmax);
  box.top = draw_below(random, height - box.height + 1);
  box.left = draw_below(random, width - box.width + 1);
  return cut(box, height, width);
}

// Samples one mix; whether it is for a micro-batch, a pair or a single sample
// depends on the mode.
Mix draw_mix(Random& random, const MixOptions& options, int height, int width) {
  if (random.uniform() >= options.prob) {
    return {};
  }
  const bool cuts = options.cuts() &&
      (!options.mixes() || random.uniform() < options.switch_prob);
  const double cutmix = options.cutmix_minmax ? 1.0 : options.cutmix;
  const double alpha = cuts ? cutmix : options.mixup;
  const double keep = beta_draw(random, alpha, alpha);
  return cuts ? draw_cut(random, options, keep, height, width)
              : Mix{.pixels = keep, .box = {}, .label = keep};
}

} // namespace

image::Rect
cutmix_box(int height, int width, double keep, int centre_y, int centre_x) {
  const double side = std::sqrt(1.0 - keep);
  const int cut_h = cut_side(height, side);
  const int cut_w = cut_side(width, side);
  const int top = std::clamp(centre_y - cut_h / 2, 0, height);
  const int bottom = std::clamp(centre_y + (cut_h + 1) / 2, 0, height);
  const int left = std::clamp(centre_x - cut_w / 2, 0, width);
  const int right = std::clamp(centre_x + (cut_w + 1) / 2, 0, width);
  return {
      .left = left, .top = top, .width = right - left, .height = bottom - top};
}

Mix cut(const image::Rect& box, int height, int width) {
  const double area = static_cast<double>(box.width) * box.height;
  return {
      .pixels = 1.0,
      .box = box,
      .label = 1.0 - area / (static_cast<double>(height) * width)};
}

std::vector<Mix> draw_mixes(
    const MixOptions& options,
    std::int64_t step,
    std::int64_t micro_batch,
    std::int64_t rows,
    int height,
    int width) {
  Random random(
      options.seed,
      Purpose::kMix,
      static_cast<std::uint64_t>(step),
      static_cast<std::uint64_t>(micro_batch));
  std::vector<Mix> mixes(static_cast<std::size_t>(rows));
  const auto draw = [&] { return draw_mix(random, options, height, width); };
  switch (options.mode) {
    case MixMode::kBatch:
      std::ranges::fill(mixes, draw());
      break;
    case MixMode::kPair:
      for (std::size_t i = 0; i < mixes.size() / 2; ++i) {
        mixes[i] = mixes[mixes.size() - 1 - i] = draw();
      }
      break;
    case MixMode::kElem:
      std::ranges::generate(mixes, draw);
      break;
  }
  if (rows % 2 == 1) {
    mixes[mixes.size() / 2] = {};
  }
  return mixes;
}

} // namespace vitrain::data
