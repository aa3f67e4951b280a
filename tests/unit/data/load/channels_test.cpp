// Images of many channels are transformed as their pictures are.
#include <gtest/gtest.h>

#include <vector>

#include "data/load/pipeline.h"
#include "image/operations/channels.h"

namespace vitrain::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

image::Image picture(int width, int height, int seed) {
  image::Image image(width, height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] =
        static_cast<std::uint8_t>(i * i % 251 + static_cast<std::size_t>(seed));
  }
  return image;
}

// Returns channel c of `pixels` with `channels` channels.
Bytes channel(const Bytes& pixels, std::size_t channels, std::size_t c) {
  Bytes values;
  for (std::size_t i = c; i < pixels.size(); i += channels) {
    values.push_back(pixels[i]);
  }
  return values;
}

void expect_as_pictures(TransformOptions options) {
  const std::vector<image::Image> pictures{
      picture(41, 30, 1), picture(41, 30, 2), picture(41, 30, 3)};
  constexpr std::size_t kChannels = 8;
  Transform::Scratch scratch;
  for (std::int64_t epoch = 0; epoch < 6; ++epoch) {
    const Draw draw{.epoch = epoch, .sample = 3};
    options.channels = kChannels;
    const Transform many(options);
    Bytes out(many.bytes());
    many.apply(pictures, draw, out, scratch);
    options.channels = 3;
    const Transform colours(options);
    for (std::size_t p = 0; p < pictures.size(); ++p) {
      Bytes three(colours.bytes());
      colours.apply(pictures[p], draw, three, scratch);
      for (std::size_t c = 0; 3 * p + c < kChannels && c < 3; ++c) {
        ASSERT_EQ(channel(out, kChannels, 3 * p + c), channel(three, 3, c))
            << "epoch " << epoch << ", channel " << 3 * p + c;
      }
    }
  }
}

TEST(ChannelPictures, AreCroppedForEvaluationAsColoursAre) {
  for (const CropMode mode :
       {CropMode::kCenter, CropMode::kSquash, CropMode::kBorder}) {
    expect_as_pictures(
        {.size = {17, 13}, .crop_mode = mode, .fill = {9, 8, 7}});
  }
}

TEST(ChannelPictures, AreCroppedAndFlippedForTrainingAsColoursAre) {
  for (const TrainCrop crop :
       {TrainCrop::kNone,
        TrainCrop::kResized,
        TrainCrop::kPad,
        TrainCrop::kRkrr,
        TrainCrop::kRkrc}) {
    expect_as_pictures(
        {.size = {17, 13},
         .train = true,
         .crop = crop,
         .random_filter = true,
         .flip = 0.5,
         .augment = {.vertical_flip = 0.5, .seed = 5},
         .seed = 5});
  }
}

} // namespace
} // namespace vitrain::data
