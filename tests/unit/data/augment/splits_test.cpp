#include "data/augment/splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "data/load/pipeline.h"

namespace vitrain::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

image::Image picture() {
  image::Image image;
  image.width = 40;
  image.height = 30;
  for (int i = 0; i < 40 * 30 * 3; ++i) {
    image.pixels.push_back(static_cast<std::uint8_t>(i * 7 % 251));
  }
  return image;
}

TransformOptions jittering() {
  TransformOptions options;
  options.train = true;
  options.size = 8;
  options.augment.vertical_flip = 0.5;
  options.augment.jitter = {0.4, 0.4, 0.4, 0.1};
  return options;
}

Bytes apply(const TransformOptions& options, const Draw& draw) {
  const Transform transform(options);
  Bytes out(transform.bytes(), 99);
  Transform::Scratch scratch;
  transform.apply(picture(), draw, out, scratch);
  return out;
}

Bytes split_of(const Bytes& all, std::int64_t splits, std::int64_t split) {
  const auto size = std::ssize(all) / splits;
  return {all.begin() + split * size, all.begin() + (split + 1) * size};
}

// As timm's AugMixDataset: one crop for all, then one without changes.
TEST(Splits, ShareCropAndFlipsAndAreChangedEachInItsOwnWay) {
  TransformOptions options = jittering();
  TransformOptions plain = options;
  plain.augment.jitter = {};
  options.splits = 3;
  for (std::int64_t sample = 0; sample < 10; ++sample) {
    const Draw draw{.epoch = 2, .sample = sample};
    const Bytes all = apply(options, draw);
    const Bytes clean = apply(plain, draw);
    ASSERT_EQ(split_of(all, 3, 0), clean);
    std::set<Bytes> seen{clean};
    for (std::int64_t split = 1; split < 3; ++split) {
      seen.insert(split_of(all, 3, split));
    }
    EXPECT_EQ(seen.size(), 3u) << sample;
  }
}

TEST(Splits, OfTheCopiesOfASampleAllDiffer) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (std::int64_t copy = 0; copy < 5; ++copy) {
    for (std::int64_t split = 0; split < 4; ++split) {
      const Draw draw = of_split({.sample = 7, .copy = copy}, 4, split);
      seen.emplace(draw.sample, draw.copy);
    }
  }
  EXPECT_EQ(seen.size(), 20u);
  const Draw draw{.epoch = 1, .sample = 2, .copy = 3};
  EXPECT_EQ(of_split(draw, 1, 0), draw);
}

TEST(Splits, OfGreyImagesAreGreyAndEvaluationHasNone) {
  TransformOptions options = jittering();
  options.splits = 2;
  const Bytes colours = apply(options, {});
  options.channels = 1;
  const Bytes grey = apply(options, {});
  ASSERT_EQ(grey.size(), 2u * 8 * 8);
  EXPECT_NE(split_of(grey, 2, 0), split_of(grey, 2, 1));
  EXPECT_EQ(colours.size(), 3 * grey.size());
  options.train = false;
  EXPECT_EQ(apply(options, {}).size(), 8u * 8);
}

} // namespace
} // namespace vitrain::data
