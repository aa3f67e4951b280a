#include "engine/inputs/erasing.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <ATen/ATen.h>

namespace vitrain::engine {
namespace {

using config::EraseMode;

constexpr std::array kModes{
    EraseMode::kConst,
    EraseMode::kRand,
    EraseMode::kPixel};
const image::Rect kBox{.left = 3, .top = 2, .width = 20, .height = 25};

const EraseNumbers& numbers() {
  static const EraseNumbers all(
      /*seed=*/7, {.image_size = 32}, at::kCPU);
  return all;
}

at::Tensor erased(
    EraseMode mode,
    std::uint64_t noise,
    std::vector<image::Rect> boxes = {kBox}) {
  const at::Tensor image = at::full({3, 32, 32}, 9.0F);
  erase_boxes(image, {std::move(boxes), noise}, mode, numbers());
  return image;
}

at::Tensor inside(const at::Tensor& image) {
  return image.narrow(1, kBox.top, kBox.height)
      .narrow(2, kBox.left, kBox.width);
}

TEST(Erasing, ChangesNothingOutsideTheBoxes) {
  for (const EraseMode mode : kModes) {
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

// Boxes of one image have colours of their own.
TEST(Erasing, EachBoxHasItsColour) {
  const image::Rect one{.left = 0, .top = 0, .width = 4, .height = 4};
  const image::Rect other{.left = 8, .top = 8, .width = 4, .height = 4};
  const at::Tensor image = erased(EraseMode::kRand, 5, {one, other});
  EXPECT_NE(image[0][0][0].item<float>(), image[0][8][8].item<float>());
}

// The GPU's computation, run on a CPU: images without boxes, with some, with
// overlapping ones and with the largest number, in both memory layouts.
TEST(Erasing, OfATableHasTheBitsOfBoxAfterBox) {
  const image::Rect over{.left = 10, .top = 20, .width = 22, .height = 12};
  const image::Rect thin{.left = 31, .top = 0, .width = 1, .height = 32};
  const std::vector<data::Erasing> rows{
      {{}, 1},
      {{kBox}, 2},
      {{kBox, over}, (std::uint64_t{1} << 63) + 3},
      {{over, kBox, thin}, 4}};
  const at::Tensor plain =
      at::arange(4 * 3 * 32 * 32, at::kFloat).view({4, 3, 32, 32});
  const auto upload = [](const at::Tensor& tensor) { return tensor.clone(); };
  for (const auto layout :
       {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    for (const EraseMode mode : kModes) {
      const at::Tensor expected = plain.clone(layout);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        erase_boxes(
            expected[static_cast<std::int64_t>(i)], rows[i], mode, numbers());
      }
      config::EraseConfig erase;
      erase.erasing_mode = mode;
      erase.erasing_count = 3;
      const at::Tensor images = plain.clone(layout);
      EraseTable(rows, erase, /*channels=*/3, upload).fill(images, numbers());
      EXPECT_TRUE(at::equal(images, expected)) << name_of(mode);
      EXPECT_TRUE(images.is_contiguous(layout));
      EXPECT_FALSE(at::equal(images[3], plain[3]));
    }
  }
}

TEST(Erasing, ATableIsAsLargeAsItSays) {
  for (const EraseMode mode : kModes) {
    config::EraseConfig erase;
    erase.erasing_mode = mode;
    erase.erasing_count = 2;
    std::int64_t tensors = 0;
    std::int64_t bytes = 0;
    const EraseTable table(
        {{{kBox}, 1}, {{}, 2}, {{}, 3}},
        erase,
        /*channels=*/3,
        [&](const at::Tensor& tensor) {
          ++tensors;
          bytes += static_cast<std::int64_t>(tensor.nbytes());
          return tensor;
        });
    EXPECT_LE(tensors, EraseTable::kTensors);
    EXPECT_LE(bytes, 3 * EraseTable::row_bytes(erase, 3));
  }
}

} // namespace
} // namespace vitrain::engine
