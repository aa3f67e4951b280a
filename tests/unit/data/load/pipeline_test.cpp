#include "data/load/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "core/hash.h"
#include "image/operations/colour_operations.h"
#include "image/operations/flip.h"
#include "image/operations/random_crop.h"

namespace vitrain::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Every pixel differs from every other one.
image::Image gradient(int width, int height) {
  image::Image image;
  image.width = width;
  image.height = height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      image.pixels.push_back(static_cast<std::uint8_t>(x + 1));
      image.pixels.push_back(static_cast<std::uint8_t>(y + 1));
      image.pixels.push_back(static_cast<std::uint8_t>(x ^ y));
    }
  }
  return image;
}

Bytes apply(
    const TransformOptions& options,
    const image::Image& image,
    std::int64_t epoch = 0,
    std::int64_t sample = 0) {
  const Transform transform(options);
  Bytes out(transform.bytes(), 99);
  // Left from another image: it must not matter.
  Transform::Scratch scratch;
  scratch.colours.assign(7, 99);
  scratch.resampler.resize(
      {.source_width = 9,
       .source_height = 3,
       .width = 2,
       .height = 2,
       .window = {0, 0, 2, 2}},
      {image::View(gradient(9, 3))},
      std::vector<std::uint8_t>(12).data(),
      6);
  transform.apply(image, {epoch, sample}, out, scratch);
  return out;
}

std::uint64_t fingerprint(const Bytes& bytes) {
  return hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Bytes flipped(int size, Bytes pixels) {
  image::flip_horizontally({pixels, size, size});
  return pixels;
}

TransformOptions training(TrainCrop crop, int size) {
  TransformOptions options;
  options.train = true;
  options.crop = crop;
  options.size = size;
  options.crop_pct = 1.0;
  return options;
}

TEST(Transform, EvaluationIgnoresEpochSampleAndSeed) {
  TransformOptions options;
  options.size = 24;
  const image::Image image = gradient(50, 40);
  const Bytes first = apply(options, image);
  EXPECT_EQ(apply(options, image, 3, 4), first);
  options.seed = 9;
  options.flip = 1.0;
  options.crop = TrainCrop::kPad;
  EXPECT_EQ(apply(options, image), first);
}

TEST(Transform, TrainingIsAFunctionOfSeedEpochAndSample) {
  for (const TrainCrop crop : {TrainCrop::kPad, TrainCrop::kResized}) {
    TransformOptions options = training(crop, 24);
    const image::Image image = gradient(24, 24);
    const Bytes first = apply(options, image, 1, 2);
    EXPECT_EQ(apply(options, image, 1, 2), first);
    std::set<std::uint64_t> different{fingerprint(first)};
    for (std::int64_t i = 0; i < 5; ++i) {
      different.insert(fingerprint(apply(options, image, 10 + i, 2)));
      different.insert(fingerprint(apply(options, image, 1, 10 + i)));
      options.seed = static_cast<std::uint64_t>(10 + i);
      different.insert(fingerprint(apply(options, image, 1, 2)));
      options.seed = 0;
    }
    EXPECT_GE(different.size(), 12u);
  }
}

// timm's --no-aug: torchvision's Resize of both sides, whatever crop_pct is.
TEST(Transform, SquashTakesTheWholeImage) {
  const image::Image image = gradient(64, 24);
  TransformOptions options = training(TrainCrop::kSquash, 16);
  options.flip = 0.0;
  options.crop_pct = 0.5;
  TransformOptions whole = options;
  whole.train = false;
  whole.crop_mode = CropMode::kSquash;
  whole.crop_pct = 1.0;
  EXPECT_EQ(apply(options, image, 1, 2), apply(whole, image, 1, 2));
  options.crop = TrainCrop::kNone;
  EXPECT_NE(apply(options, image, 1, 2), apply(whole, image, 1, 2));
}

TEST(Transform, FlipsAsOftenAsAsked) {
  const image::Image image = gradient(8, 8);
  for (const double probability : {0.0, 0.25, 1.0}) {
    TransformOptions options = training(TrainCrop::kNone, 8);
    options.flip = probability;
    const Bytes plain = image.pixels;
    int flips = 0;
    for (std::int64_t sample = 0; sample < 4000; ++sample) {
      const Bytes out = apply(options, image, 7, sample);
      ASSERT_TRUE(out == plain || out == flipped(8, plain));
      flips += out == plain ? 0 : 1;
    }
    EXPECT_NEAR(
        flips,
        4000 * probability,
        5 * std::sqrt(4000 * probability * (1 - probability)));
  }
}

// "94% on CIFAR-10 in 3.29 seconds" (arXiv:2404.00498): in two epochs that
// follow each other an image is seen both ways round.
TEST(Transform, FlipsAlternate) {
  const image::Image image = gradient(8, 8);
  TransformOptions options = training(TrainCrop::kNone, 8);
  int flips = 0;
  for (std::int64_t sample = 0; sample < 400; ++sample) {
    options.flip_alternates = false;
    const Bytes first = apply(options, image, 0, sample);
    options.flip_alternates = true;
    for (const std::int64_t epoch : {0, 1, 2, 3}) {
      ASSERT_EQ(
          apply(options, image, epoch, sample),
          epoch % 2 == 0 ? first : flipped(8, first));
    }
    flips += first == image.pixels ? 0 : 1;
  }
  EXPECT_NEAR(flips, 200, 5 * 10); // five standard deviations
}

TEST(Transform, PadCropTakesEveryOffsetEquallyOften) {
  TransformOptions options = training(TrainCrop::kPad, 6);
  options.padding = 2;
  options.flip = 0;
  const image::Image image = gradient(6, 6);
  std::array<int, 25> counts{};
  image::Resampler resampler;
  for (std::int64_t sample = 0; sample < 25000; ++sample) {
    const Bytes out = apply(options, image, 0, sample);
    bool found = false;
    for (int shift = 0; shift < 25 && !found; ++shift) {
      Bytes expected(out.size());
      image::cut(
          image::plan_padded_crop(6, 6, 6, 2, shift % 5, shift / 5),
          {image::View(image)},
          resampler,
          expected);
      found = out == expected;
      counts.at(static_cast<std::size_t>(shift)) += found ? 1 : 0;
    }
    ASSERT_TRUE(found);
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 1000, 5 * std::sqrt(1000 * 0.96));
  }
}

// Of a 128 x 32 image at 32 pixels torchvision's RandomCrop(32, padding=4)
// draws the left edge from -4 to 100 (make_padded_crops.py: 105 lefts), all of
// them equally often; the top from -4 to 4.
TEST(Transform, PadCropReachesAllOfALongImage) {
  TransformOptions options = training(TrainCrop::kPad, 32);
  options.padding = 4;
  const Transform transform(options);
  std::map<int, int> lefts;
  std::map<int, int> tops;
  constexpr int kDraws = 21000;
  for (std::int64_t sample = 0; sample < kDraws; ++sample) {
    const image::CropPlan plan = transform.plan(128, 32, {.sample = sample});
    ++lefts[plan.window.left - plan.left];
    ++tops[plan.window.top - plan.top];
  }
  EXPECT_EQ(lefts.begin()->first, -4);
  EXPECT_EQ(lefts.rbegin()->first, 100);
  EXPECT_EQ(lefts.size(), 105u);
  EXPECT_EQ(tops.begin()->first, -4);
  EXPECT_EQ(tops.rbegin()->first, 4);
  for (const auto& [left, count] : lefts) {
    EXPECT_NEAR(count, 200, 5 * std::sqrt(200)) << left; // 5 deviations
  }
}

TEST(Transform, PadCropBringsOtherSizesToTheSquareFirst) {
  TransformOptions options = training(TrainCrop::kPad, 16);
  options.flip = 0;
  options.padding = 0;
  const image::Image image = gradient(40, 40);
  TransformOptions eval = options;
  eval.train = false;
  EXPECT_EQ(apply(options, image), apply(eval, image));
}

TEST(Transform, ResizedCropOfTheWholeIsAResize) {
  TransformOptions options = training(TrainCrop::kResized, 16);
  options.flip = 0;
  options.scale = {1.0, 1.0};
  options.ratio = {1.0, 1.0};
  const image::Image image = gradient(33, 33);
  EXPECT_EQ(
      apply(options, image),
      image::resize(image, 16, 16, options.filter).pixels);
}

// timm's `random` interpolation, with the crops that a fixed filter has.
TEST(Transform, RandomFilterIsBilinearOrBicubicEquallyOften) {
  TransformOptions options = training(TrainCrop::kResized, 16);
  options.train_filter = Filter::kLanczos;
  const Transform fixed(options);
  options.random_filter = true;
  const Transform random(options);
  int bicubic = 0;
  for (std::int64_t sample = 0; sample < 4000; ++sample) {
    image::CropPlan plan = random.plan(40, 30, {2, sample});
    const image::CropPlan other = fixed.plan(40, 30, {2, sample});
    ASSERT_EQ(plan.from, other.from);
    ASSERT_EQ(plan.mirrored, other.mirrored);
    ASSERT_EQ(other.filter, Filter::kLanczos);
    ASSERT_TRUE(
        plan.filter == Filter::kBilinear || plan.filter == Filter::kBicubic);
    bicubic += plan.filter == Filter::kBicubic ? 1 : 0;
  }
  EXPECT_NEAR(bicubic, 2000, 5 * std::sqrt(4000 * 0.25));
}

TEST(Transform, PlansTellWhatHasToBeDecoded) {
  const image::Image image = gradient(90, 60);
  for (const TrainCrop crop :
       {TrainCrop::kNone,
        TrainCrop::kPad,
        TrainCrop::kResized,
        TrainCrop::kRkrr,
        TrainCrop::kRkrc}) {
    const Transform transform(training(crop, 16));
    for (std::int64_t sample = 0; sample < 50; ++sample) {
      const image::CropPlan plan = transform.plan(90, 60, {0, sample});
      const image::Rect needed = plan.source();
      Transform::Scratch scratch;
      Bytes out(transform.bytes());
      transform.apply(
          plan,
          {image::View(image).crop(needed), needed.left, needed.top},
          {0, sample},
          out,
          scratch);
      ASSERT_EQ(out, apply(training(crop, 16), image, 0, sample));
    }
  }
}

// Each copy of a sample within an epoch gets its own crop, flip and
// augmentation.
TEST(Transform, ChangesEveryCopyOfASampleInItsOwnWay) {
  const image::Image image = gradient(40, 30);
  TransformOptions flipped = training(TrainCrop::kNone, 8);
  flipped.flip = 0.5;
  TransformOptions jittered = flipped;
  jittered.flip = 0;
  jittered.augment.jitter = {0.4, 0.4, 0.4, 0.1};
  struct Case {
    TransformOptions options;
    std::size_t ways;
  };
  for (const auto& [options, ways] :
       {Case{training(TrainCrop::kResized, 8), 10},
        Case{training(TrainCrop::kPad, 8), 10},
        Case{flipped, 2},
        Case{jittered, 10}}) {
    const Transform transform(options);
    Transform::Scratch scratch;
    std::set<Bytes> seen;
    for (std::int64_t copy = 0; copy < 12; ++copy) {
      Bytes out(transform.bytes());
      transform.apply(
          image, {.epoch = 3, .sample = 5, .copy = copy}, out, scratch);
      seen.insert(out);
    }
    EXPECT_GE(seen.size(), ways);
  }
}

// After crop and flip, in training only.
TEST(Transform, AugmentsTrainingImages) {
  TransformOptions options;
  options.size = 8;
  options.crop = TrainCrop::kNone;
  options.flip = 0;
  options.crop_pct = 1.0;
  options.augment.grayscale = 1.0;
  const image::Image from = gradient(8, 8);
  const auto pixels = [&](bool train) {
    options.train = train;
    Bytes out(192);
    Transform::Scratch scratch;
    Transform(options).apply(from, {}, out, scratch);
    return out;
  };
  EXPECT_EQ(pixels(false), from.pixels);
  Bytes grey = from.pixels;
  image::grayscale({grey, 8, 8});
  EXPECT_EQ(pixels(true), grey);
}

} // namespace
} // namespace vitrain::data
