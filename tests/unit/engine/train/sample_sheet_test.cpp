#include "engine/train/sample_sheet.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace vitrain::engine {
namespace {

TEST(SampleSheet, ShowsFewerOfLargeImages) {
  EXPECT_EQ(SampleSheet::count(500, 32, 32), 64);
  EXPECT_EQ(SampleSheet::count(500, 224, 224), 20); // 2^20 / 224^2
  EXPECT_EQ(SampleSheet::count(500, 1024, 2048), 4);
  EXPECT_EQ(SampleSheet::count(3, 32, 32), 3);
}

TEST(SampleSheet, IsDrawnOnce) {
  SampleSheet sheet(
      at::full({6, 24, 48, 3}, 200, at::kByte),
      at::tensor({0, 1, 0, 5, 1, 1}, at::kLong), // 5: a class without a name
      {"cat", "dog"});
  const auto picture = sheet.take(/*wait=*/true);
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->png.substr(1, 3), "PNG");
  EXPECT_GE(picture->width * picture->height, 6 * 24 * 48);
  EXPECT_FALSE(sheet.take(/*wait=*/true));
  // Grey images without labels.
  SampleSheet grey(at::zeros({1, 16, 16, 1}, at::kByte), {}, {});
  EXPECT_TRUE(grey.take(/*wait=*/true));
}

} // namespace
} // namespace vitrain::engine
