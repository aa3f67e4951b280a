#include "engine/inputs/erasing.h"

#include <gtest/gtest.h>

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/Context.h>

namespace vitrain::engine {
namespace {

using config::EraseMode;

const image::Rect kBox{.left = 3, .top = 2, .width = 20, .height = 25};

at::Tensor erased(
    EraseMode mode,
    std::uint64_t noise,
    std::vector<image::Rect> boxes = {kBox}) {
  at::Generator generator =
      at::globalContext().defaultGenerator(at::kCPU).clone();
  const at::Tensor image = at::full({3, 32, 32}, 9.0F);
  erase_boxes(image, {std::move(boxes), noise}, mode, generator);
  return image;
}

at::Tensor inside(const at::Tensor& image) {
  return image.narrow(1, kBox.top, kBox.height)
      .narrow(2, kBox.left, kBox.width);
}

TEST(Erasing, ChangesNothingOutsideTheBoxes) {
  for (const EraseMode mode :
       {EraseMode::kConst, EraseMode::kRand, EraseMode::kPixel}) {
    const at::Tensor image = erased(mode, 1);
    EXPECT_EQ(
        image.eq(9.0F).sum().item<std::int64_t>(),
        3 * (32 * 32 - kBox.width * kBox.height));
    EXPECT_FALSE(inside(image).eq(9.0F).any().item<bool>());
    EXPECT_TRUE(erased(mode, 1, {}).eq(9.0F).all().item<bool>());
  }
}

TEST(Erasing, FillsAsTheModeSays) {
  EXPECT_TRUE(inside(erased(EraseMode::kConst, 1)).eq(0).all().item<bool>());
  const at::Tensor colour = inside(erased(EraseMode::kRand, 1));
  EXPECT_TRUE(at::equal(
      colour,
      colour.select(1, 0).select(1, 0).view({3, 1, 1}).expand_as(colour)));
  EXPECT_FALSE(at::equal(colour[0], colour[1]));
  const at::Tensor pixels = inside(erased(EraseMode::kPixel, 1));
  // 1,500 normal numbers; four standard deviations.
  EXPECT_NEAR(pixels.mean().item<double>(), 0.0, 4 / std::sqrt(1500));
  EXPECT_NEAR(pixels.var().item<double>(), 1.0, 4 * std::sqrt(2.0 / 1500));
}

TEST(Erasing, NoiseIsAFunctionOfItsSeed) {
  for (const EraseMode mode : {EraseMode::kRand, EraseMode::kPixel}) {
    EXPECT_TRUE(at::equal(erased(mode, 5), erased(mode, 5)));
    EXPECT_FALSE(at::equal(erased(mode, 5), erased(mode, 6)));
  }
  const image::Rect other{.left = 0, .top = 0, .width = 2, .height = 2};
  const at::Tensor both = erased(EraseMode::kPixel, 5, {kBox, other});
  EXPECT_TRUE(at::equal(
      inside(both).slice(1, 2),
      inside(erased(EraseMode::kPixel, 5)).slice(1, 2)));
}

} // namespace
} // namespace vitrain::engine
