#include "data/augment/augment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "image/operations/blur.h"
#include "image/operations/colour_operations.h"
#include "image/operations/flip.h"
#include "image/operations/tones.h"
#include "unit/image/fixtures.h"

namespace vitrain::data {
namespace {

using Bytes = std::vector<std::uint8_t>;
// Not operator<, for which g++ 12 warns of reading beyond the end.
struct Before {
  bool operator()(const Bytes& a, const Bytes& b) const {
    return std::ranges::lexicographical_compare(a, b);
  }
};
using Results = std::set<Bytes, Before>;

image::Image start() {
  return image::fixtures::input("smooth", 30, 24, 20);
}

Bytes augmented(
    const AugmentOptions& options,
    std::int64_t epoch,
    std::int64_t sample) {
  image::Image image = start();
  AugmentScratch scratch;
  Augment(options).apply(image::Canvas(image), {epoch, sample}, scratch);
  return image.pixels;
}

template <typename Change>
Bytes changed(Change change) {
  image::Image image = start();
  change(image::Canvas(image));
  return image.pixels;
}

TEST(Augment, DoesNothingUnasked) {
  for (int sample = 0; sample < 100; ++sample) {
    ASSERT_EQ(augmented({}, 1, sample), start().pixels);
  }
}

TEST(Augment, StagesHappenWithTheirProbability) {
  struct Case {
    AugmentOptions options;
    Bytes result;
  };
  const std::vector<Case> cases{
      {{.vertical_flip = 0.3}, changed(image::flip_vertically)},
      {{.grayscale = 0.3}, changed(image::grayscale)},
      {{.blur = 0.3, .blur_radius = {1.5, 1.5}},
       changed([](const image::Canvas& canvas) {
         image::Scratch scratch;
         image::gaussian_blur(canvas, 1.5, scratch);
       })},
      {{.solarize = 0.3, .solarize_threshold = 100},
       changed(
           [](const image::Canvas& canvas) { image::solarize(canvas, 100); })},
      {{.jitter = {0, 0, 0, 0.5}, .jitter_probability = 0}, {}}};
  constexpr int kSamples = 2000;
  for (const Case& stage : cases) {
    int count = 0;
    for (int sample = 0; sample < kSamples; ++sample) {
      const Bytes pixels = augmented(stage.options, 3, sample);
      ASSERT_TRUE(pixels == start().pixels || pixels == stage.result);
      count += pixels == stage.result ? 1 : 0;
    }
    const double p = stage.result.empty() ? 0 : 0.3;
    EXPECT_NEAR(
        count, p * kSamples, 5 * std::sqrt(p * (1 - p) * kSamples) + 1e-9);
  }
}

// A grey pixel times a factor that is uniform in [1 - x, 1 + x].
TEST(Augment, JitterDrawsFactorsWithinItsReach) {
  AugmentOptions options;
  options.jitter = {0.4, 0, 0, 0};
  const Augment augment(options);
  AugmentScratch scratch;
  constexpr int kDraws = 10000;
  double sum = 0;
  int smallest = 255;
  int largest = 0;
  for (int sample = 0; sample < kDraws; ++sample) {
    Bytes pixels(3, 100);
    augment.apply(image::Canvas(pixels, 1, 1), {0, sample}, scratch);
    sum += (pixels[0] + 0.5) / kDraws; // rounded down
    smallest = std::min(smallest, int{pixels[0]});
    largest = std::max(largest, int{pixels[0]});
  }
  EXPECT_NEAR(sum, 100, 5 * 80 / std::sqrt(12.0 * kDraws));
  EXPECT_EQ(smallest, 60);
  EXPECT_EQ(largest, 139);
}

TEST(Augment, JitterBeyondOneEndsAtFactorZero) {
  AugmentOptions options;
  options.jitter = {3, 0, 0, 0};
  const Augment augment(options);
  AugmentScratch scratch;
  double sum = 0;
  for (int sample = 0; sample < 4000; ++sample) {
    Bytes pixels(3, 50);
    augment.apply(image::Canvas(pixels, 1, 1), {0, sample}, scratch);
    sum += (pixels[0] + 0.5) / 4000;
  }
  EXPECT_NEAR(sum, 100, 5 * 200 / std::sqrt(12.0 * 4000)); // factors 0 to 4
}

// Brightness and contrast do not commute: both orders come, as often.
TEST(Augment, JitterDrawsTheOrder) {
  int brightness_first = 0;
  int contrast_first = 0;
  for (int sample = 0; sample < 400; ++sample) {
    // The factors of this sample, from jitters of one kind: streams do not
    // depend on which kinds are on.
    AugmentOptions options;
    options.jitter = {0.5, 0.5, 0, 0};
    image::Image image = start();
    AugmentScratch scratch;
    Random random(
        0, Purpose::kColorJitter, 0, static_cast<std::uint64_t>(sample));
    random.uniform(); // of the probability
    const double b = random.uniform(0.5, 1.5);
    const double c = random.uniform(0.5, 1.5);
    const Bytes pixels = augmented(options, 0, sample);
    const Bytes bc = changed([&](const image::Canvas& canvas) {
      image::brightness(canvas, b);
      image::contrast(canvas, c);
    });
    const Bytes cb = changed([&](const image::Canvas& canvas) {
      image::contrast(canvas, c);
      image::brightness(canvas, b);
    });
    ASSERT_TRUE(pixels == bc || pixels == cb);
    brightness_first += pixels == bc ? 1 : 0;
    contrast_first += pixels == cb ? 1 : 0;
  }
  EXPECT_NEAR(brightness_first, 200, 50);
  EXPECT_NEAR(contrast_first, 200, 50);
}

TEST(Augment, BlurDrawsTheRadius) {
  AugmentOptions options;
  options.blur = 1;
  Results results;
  for (int sample = 0; sample < 20; ++sample) {
    results.insert(augmented(options, 0, sample));
  }
  EXPECT_GT(results.size(), 10U);
}

// timm's order: jitter before grayscale before blur; then solarize.
TEST(Augment, StagesStandInTimmsOrder) {
  AugmentOptions options;
  options.vertical_flip = 1;
  options.policy.emplace();
  options.policy->kind = PolicyKind::kAuto;
  options.policy->table = "3a"; // solarize, desaturate or blur
  options.grayscale = 1;
  options.blur = 1;
  options.blur_radius = {1, 1};
  options.solarize = 1;
  const auto rest = [](const image::Canvas& canvas) {
    image::Scratch scratch;
    image::grayscale(canvas);
    image::gaussian_blur(canvas, 1, scratch);
    image::solarize(canvas, 128);
  };
  Results results;
  for (int sample = 0; sample < 30; ++sample) {
    results.insert(augmented(options, 0, sample));
  }
  EXPECT_TRUE(results.contains(changed([&](const image::Canvas& canvas) {
    image::flip_vertically(canvas);
    image::solarize(canvas, 128);
    rest(canvas);
  })));
  EXPECT_TRUE(results.contains(changed([&](const image::Canvas& canvas) {
    image::flip_vertically(canvas);
    image::saturation(canvas, 0);
    rest(canvas);
  })));
}

TEST(Augment, IsAFunctionOfSeedEpochAndSample) {
  AugmentOptions options;
  options.policy.emplace();
  options.policy->deviation = 0.5;
  options.policy->probability = 1;
  options.jitter = {0.4, 0.4, 0.4, 0.1};
  options.grayscale = 0.2;
  options.blur = 0.5;
  options.seed = 9;
  Results results;
  for (int sample = 0; sample < 8; ++sample) {
    for (int epoch = 0; epoch < 4; ++epoch) {
      const Bytes pixels = augmented(options, epoch, sample);
      EXPECT_EQ(pixels, augmented(options, epoch, sample));
      results.insert(pixels);
    }
  }
  options.seed = 10;
  results.insert(augmented(options, 0, 0));
  EXPECT_EQ(results.size(), 33U);
}

// Enabling one stage does not change the draws of other stages.
TEST(Augment, StagesDoNotShareDraws) {
  AugmentOptions alone;
  alone.jitter = {0.4, 0.4, 0.4, 0.1};
  AugmentOptions both = alone;
  both.vertical_flip = 1;
  for (int sample = 0; sample < 20; ++sample) {
    Bytes expected = augmented(alone, 0, sample);
    image::flip_vertically({expected, 24, 20});
    EXPECT_EQ(augmented(both, 0, sample), expected);
  }
}

} // namespace
} // namespace vitrain::data
