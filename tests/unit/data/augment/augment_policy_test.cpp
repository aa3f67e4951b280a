#include "data/augment/augment_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "data/augment/augment_mix.h"
#include "data/augment/augment_tables.h"
#include "data/augment/augment_timm.h"
#include "data/augment/augment_torchvision.h"
#include "unit/image/fixtures.h"

// The laws by which policies draw: how often each possible result comes.
namespace vitrain::data {
namespace {

using Bytes = std::vector<std::uint8_t>;
// Not operator<, for which g++ 12 warns of reading beyond the end.
struct BeforePolicy {
  bool operator()(const Bytes& a, const Bytes& b) const {
    return std::ranges::lexicographical_compare(a, b);
  }
};
// Pixels, with the probability that they are the result.
using Law = std::map<Bytes, double, BeforePolicy>;
using Counts = std::map<Bytes, int, BeforePolicy>;

constexpr int kWidth = 15;
constexpr int kHeight = 12;
constexpr double kUniform = std::numeric_limits<double>::infinity();

image::Image policy_start() {
  return image::fixtures::input("smooth", 30, kWidth, kHeight);
}

Bytes after(const Bytes& pixels, const PixelStep& step, bool black = false) {
  image::Image image = policy_start();
  image.pixels = pixels;
  image::Scratch scratch;
  const image::AffineOptions affine{
      image::Interpolation::kNearest, {10, 20, 30}};
  apply_step(
      step,
      {affine, black ? std::array<std::uint8_t, 3>{} : affine.fill},
      image::Canvas(image),
      scratch);
  return image.pixels;
}

PolicyOptions options_of(PolicySource source, PolicyKind kind) {
  PolicyOptions options;
  options.source = source;
  options.kind = kind;
  options.interpolation = image::Interpolation::kNearest;
  options.fill = {10, 20, 30};
  return options;
}

// A step that happens with a probability, each sign as often.
Law with_timm_step(
    const Law& before,
    std::string_view name,
    double probability,
    double magnitude) {
  Law law;
  for (const auto& [pixels, share] : before) {
    law[pixels] += share * (1 - probability);
    for (const double draw : {0.25, 0.75}) {
      const PixelStep step = timm_step(
          timm_op(name),
          magnitude,
          draw,
          {.translate_pixels = 5},
          kWidth,
          kHeight);
      law[after(pixels, step)] += share * probability / 2;
    }
  }
  return law;
}

Law with_torchvision_step(
    const Law& before,
    std::string_view name,
    TorchvisionSpace space,
    double probability,
    int bin,
    int bins) {
  Law law;
  const TorchvisionOp& op = torchvision_op(name);
  const double size =
      torchvision_magnitude(op, space, bin, bins, kWidth, kHeight);
  for (const auto& [pixels, share] : before) {
    law[pixels] += share * (1 - probability);
    for (const double magnitude : {size, op.is_signed ? -size : size}) {
      law[after(pixels, torchvision_step(op, magnitude))] +=
          share * probability / 2;
    }
  }
  return law;
}

void add(Law& to, const Law& part, double share) {
  for (const auto& [pixels, probability] : part) {
    to[pixels] += share * probability;
  }
}

// Draws often and compares with the law: each result within five standard
// deviations of its expected count, and none that it does not have.
void expect_law(const PolicyOptions& options, const Law& law) {
  constexpr int kDraws = 20000;
  const auto policy = make_policy(options);
  Counts counts;
  AugmentScratch scratch;
  for (int i = 0; i < kDraws; ++i) {
    Random random(3, Purpose::kAugment, 0, static_cast<std::uint64_t>(i));
    image::Image image = policy_start();
    policy(image::Canvas(image), random, scratch);
    ++counts[image.pixels];
  }
  for (const auto& [pixels, probability] : law) {
    const double expected = probability * kDraws;
    EXPECT_NEAR(counts[pixels], expected, 5 * std::sqrt(expected) + 1e-9);
  }
  int unexpected = 0;
  for (const auto& [pixels, count] : counts) {
    unexpected += law.contains(pixels) ? 0 : count;
  }
  EXPECT_EQ(unexpected, 0);
}

const Law kUnchanged{{policy_start().pixels, 1.0}};

TEST(AugmentPolicy, TimmsRandAugmentDrawsLayersWithTheirProbability) {
  PolicyOptions options = options_of(PolicySource::kTimm, PolicyKind::kRand);
  options.layers = 1;
  options.magnitude = 9;
  options.probability = 0.3;
  for (const bool increasing : {false, true}) {
    options.increasing = increasing;
    Law law;
    for (const WeightedName& op : timm_rand_operations("", increasing)) {
      add(law, with_timm_step(kUnchanged, op.name, 0.3, 9), 1.0 / 15);
    }
    expect_law(options, law);
  }
}

TEST(AugmentPolicy, TimmsWeightedSetsFollowTheirWeights) {
  PolicyOptions options = options_of(PolicySource::kTimm, PolicyKind::kRand);
  options.layers = 2;
  options.magnitude = 6;
  options.probability = 1;
  options.table = "3aw";
  const auto ops = timm_rand_operations("3aw", false);
  double sum = 0;
  for (const WeightedName& op : ops) {
    sum += op.weight;
  }
  Law law;
  for (const WeightedName& first : ops) {
    const Law once = with_timm_step(kUnchanged, first.name, 1, 6);
    for (const WeightedName& second : ops) {
      if (second.name != first.name) {
        add(law,
            with_timm_step(once, second.name, 1, 6),
            first.weight / sum * second.weight / (sum - first.weight));
      }
    }
  }
  expect_law(options, law);
}

TEST(AugmentPolicy, TimmsAutoAugmentTakesOneChoiceInOrder) {
  for (const char* table : {"v0", "original"}) {
    PolicyOptions options = options_of(PolicySource::kTimm, PolicyKind::kAuto);
    options.table = table;
    Law law;
    const auto choices = auto_augment_table(table);
    for (const TableChoice& choice : choices) {
      Law part = kUnchanged;
      for (const TableStep& step : choice) {
        part =
            with_timm_step(part, step.name, step.probability, step.magnitude);
      }
      add(law, part, 1.0 / static_cast<double>(choices.size()));
    }
    expect_law(options, law);
  }
}

TEST(AugmentPolicy, TorchvisionsRandAugmentAppliesEveryLayer) {
  PolicyOptions options =
      options_of(PolicySource::kTorchvision, PolicyKind::kRand);
  options.layers = 1;
  options.magnitude = 9;
  Law law;
  for (const std::string_view name : torchvision_operations()) {
    add(law,
        with_torchvision_step(
            kUnchanged, name, TorchvisionSpace::kRand, 1, 9, 31),
        1.0 / 14);
  }
  expect_law(options, law);
}

TEST(AugmentPolicy, TrivialAugmentDrawsTheMagnitude) {
  PolicyOptions options =
      options_of(PolicySource::kTorchvision, PolicyKind::kTrivial);
  options.bins = 5;
  Law law;
  for (const std::string_view name : torchvision_operations()) {
    for (int bin = 0; bin < 5; ++bin) {
      add(law,
          with_torchvision_step(
              kUnchanged, name, TorchvisionSpace::kTrivial, 1, bin, 5),
          1.0 / 14 / 5);
    }
  }
  expect_law(options, law);
}

TEST(AugmentPolicy, TorchvisionsAutoAugmentTakesOneChoiceInOrder) {
  for (const char* table : {"imagenet", "cifar10", "svhn"}) {
    PolicyOptions options =
        options_of(PolicySource::kTorchvision, PolicyKind::kAuto);
    options.table = table;
    Law law;
    for (const TableChoice& choice : auto_augment_table(table)) {
      Law part = kUnchanged;
      for (const TableStep& step : choice) {
        part = with_torchvision_step(
            part,
            step.name,
            TorchvisionSpace::kAuto,
            step.probability,
            static_cast<int>(step.magnitude),
            10);
      }
      add(law, part, 1.0 / 25);
    }
    expect_law(options, law);
  }
}

// PaddleViT shifts by pixels, fills with grey (rotations with black) and takes
// nearest neighbours.
TEST(AugmentPolicy, PaddleVitMovesPixelsInItsOwnWay) {
  PolicyOptions options =
      options_of(PolicySource::kPaddleVit, PolicyKind::kRand);
  options.layers = 1;
  options.magnitude = 1;
  options.probability = 1;
  options.increasing = true;
  const auto policy = make_policy(options);
  Counts counts;
  AugmentScratch scratch;
  for (int i = 0; i < 2000; ++i) {
    Random random(3, Purpose::kAugment, 1, static_cast<std::uint64_t>(i));
    image::Image image = policy_start();
    policy(image::Canvas(image), random, scratch);
    ++counts[image.pixels];
  }
  const image::AffineOptions grey{
      image::Interpolation::kNearest, {128, 128, 128}};
  for (const PixelStep& step :
       {PixelStep{PixelOp::kTranslateX, 10.0},
        PixelStep{PixelOp::kTranslateY, -10.0},
        PixelStep{PixelOp::kShearX, 0.03},
        PixelStep{PixelOp::kRotate, 3.0}}) {
    image::Image image = policy_start();
    apply_step(step, {grey, {}}, image::Canvas(image), scratch.image);
    EXPECT_GT(counts[image.pixels], 30); // of 67
  }
}

TEST(AugmentPolicy, MagnitudesAreNormalOrUniformAndBounded) {
  constexpr int kDraws = 20000;
  Random random(5, Purpose::kAugment, 0, 0);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw_timm_magnitude(5, 0.5, 10, random);
    sum += x / kDraws;
    squares += (x - 5) * (x - 5) / kDraws;
  }
  EXPECT_NEAR(sum, 5, 5 * 0.5 / std::sqrt(kDraws));
  EXPECT_NEAR(squares, 0.25, 5 * 0.25 * std::sqrt(2.0 / kDraws));

  double uniform = 0;
  double largest = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw_timm_magnitude(8, kUniform, 10, random);
    ASSERT_GE(x, 0);
    uniform += x / kDraws;
    largest = std::max(largest, x);
  }
  EXPECT_NEAR(uniform, 4, 5 * 8 / std::sqrt(12.0 * kDraws));
  EXPECT_LT(largest, 8);
  EXPECT_GT(largest, 7.9);

  int capped = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = draw_timm_magnitude(9, 3, 10, random);
    ASSERT_LE(x, 10);
    ASSERT_GE(x, 0);
    capped += x == 10 ? 1 : 0;
  }
  EXPECT_NEAR(capped, 369, 5 * 15.3); // P(Z > 1/3)
  EXPECT_EQ(draw_timm_magnitude(12, 0, 10, random), 10);
  EXPECT_EQ(draw_timm_magnitude(12, 0, 30, random), 12);
}

const std::pair<decltype(&mix_as_timm), bool> kMixes[] = {
    {mix_as_timm, false},
    {mix_as_timm, true},
    {mix_as_torchvision, false}};

TEST(AugmentPolicy, MixesOfUnchangedChainsKeepTheImage) {
  AugmentScratch scratch;
  const ChainStep nothing = [](const image::Canvas&) {};
  for (const auto& [mix, blended] : kMixes) {
    Random random(6, Purpose::kAugment, 0, 0);
    for (int trial = 0; trial < 20; ++trial) {
      image::Image image = policy_start();
      const AutoAugment options{.blended = blended};
      mix({options, image::Canvas(image), random, scratch, nothing});
      const Bytes before = policy_start().pixels;
      for (std::size_t i = 0; i < before.size(); ++i) {
        // Rounding down happens at most twice; blended, for each chain.
        ASSERT_LE(image.pixels[i], before[i]);
        ASSERT_GE(image.pixels[i] + 3, before[i]);
      }
    }
  }
}

// If chains turn everything black, the remaining brightness is the image's
// share, uniform for alpha 1; chains of one, two and three operations are
// equally frequent.
TEST(AugmentPolicy, MixesFollowTheirLaws) {
  constexpr int kDraws = 6000;
  AugmentScratch scratch;
  for (const auto& [mix, blended] : kMixes) {
    Random random(7, Purpose::kAugment, 0, 0);
    double sum = 0;
    double squares = 0;
    std::map<int, int> lengths;
    for (int i = 0; i < kDraws; ++i) {
      Bytes pixels(3, 200);
      int steps = 0;
      const AutoAugment options{.width = 1, .blended = blended};
      const ChainStep step = [&](const image::Canvas& chain) {
        std::ranges::fill(chain.pixels, std::uint8_t{0});
        ++steps;
      };
      mix({options, image::Canvas(pixels, 1, 1), random, scratch, step});
      const double share = (pixels[0] + 0.5) / 200;
      sum += share / kDraws;
      squares += share * share / kDraws;
      ++lengths[steps];
    }
    EXPECT_NEAR(sum, 0.5, 5 * 0.29 / std::sqrt(kDraws) + 0.003);
    EXPECT_NEAR(squares - sum * sum, 1.0 / 12, 0.006);
    EXPECT_EQ(lengths.size(), 3U);
    for (int length = 1; length <= 3; ++length) {
      EXPECT_NEAR(lengths[length], kDraws / 3.0, 5 * std::sqrt(kDraws / 3.0));
    }
  }
}

TEST(AugmentPolicy, EveryPolicyIsAFunctionOfItsStream) {
  std::vector<PolicyOptions> all;
  for (const PolicySource source :
       {PolicySource::kTimm,
        PolicySource::kTorchvision,
        PolicySource::kPaddleVit}) {
    for (const PolicyKind kind :
         {PolicyKind::kRand,
          PolicyKind::kAuto,
          PolicyKind::kTrivial,
          PolicyKind::kMix}) {
      all.push_back(options_of(source, kind));
      all.back().table = kind != PolicyKind::kAuto ? ""
          : source == PolicySource::kTorchvision   ? "svhn"
                                                   : "v0r";
      all.back().magnitude = 3;
      all.back().deviation = kUniform;
      all.back().interpolation.reset();
    }
  }
  AugmentScratch scratch;
  for (const PolicyOptions& options : all) {
    const auto policy = make_policy(options);
    int changed = 0;
    for (std::uint64_t i = 0; i < 50; ++i) {
      image::Image once = policy_start();
      image::Image again = policy_start();
      Random first(1, Purpose::kAugment, 2, i);
      Random second(1, Purpose::kAugment, 2, i);
      AugmentScratch fresh;
      policy(image::Canvas(once), first, scratch);
      policy(image::Canvas(again), second, fresh);
      ASSERT_EQ(once.pixels, again.pixels);
      changed += once.pixels != policy_start().pixels ? 1 : 0;
    }
    EXPECT_GT(changed, 15);
  }
}

} // namespace
} // namespace vitrain::data
