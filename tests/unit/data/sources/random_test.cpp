#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "data/kinds/datasets.h"

namespace vitrain::data {
namespace {

std::unique_ptr<Source> source(const SourceOptions& options) {
  return open(std::make_shared<const Index>(list(options)));
}

TEST(RandomImages, AreFunctionsOfSeedAndIndex) {
  const SourceOptions options{
      .kind = SourceKind::kRandom, .count = 50, .size = 13, .seed = 4};
  const auto one = source(options);
  const auto same = source(options);
  SourceOptions reseeded = options;
  reseeded.seed = 5;
  const auto other = source(reseeded);
  EXPECT_EQ(one->size(), 50);
  EXPECT_EQ(one->classes().size(), 1000u);
  EXPECT_EQ(one->load(49).width, 13);
  EXPECT_EQ(one->load(49).pixels.size(), 13u * 13u * 3u);
  int equal_labels = 0;
  for (std::int64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(one->load(i).pixels, same->load(i).pixels);
    EXPECT_EQ(one->label(i), same->label(i));
    EXPECT_NE(one->load(i).pixels, other->load(i).pixels);
    equal_labels += one->label(i) == other->label(i) ? 1 : 0;
  }
  EXPECT_LT(equal_labels, 5);
  EXPECT_NE(one->load(0).pixels, one->load(1).pixels);
  EXPECT_NE(one->index().fingerprint(), other->index().fingerprint());
  EXPECT_EQ(one->describe(3), "random image 3 of seed 4");
}

// Five standard deviations of a uniform draw.
TEST(RandomImages, LabelsAndPixelsAreUniform) {
  const auto images = source(
      {.kind = SourceKind::kRandom, .count = 20000, .size = 8, .classes = 7});
  std::map<std::int64_t, int> labels;
  double sum = 0.0;
  for (std::int64_t i = 0; i < images->size(); ++i) {
    ++labels[images->label(i)];
  }
  EXPECT_EQ(labels.size(), 7u);
  for (const auto& [label, count] : labels) {
    EXPECT_NEAR(count, 20000 / 7.0, 250) << label;
  }
  for (std::int64_t i = 0; i < 500; ++i) {
    for (const std::uint8_t value : images->load(i).pixels) {
      sum += value;
    }
  }
  EXPECT_NEAR(sum / (500 * 192), 127.5, 5 * 73.9 / std::sqrt(500 * 192));
}

} // namespace
} // namespace vitrain::data
