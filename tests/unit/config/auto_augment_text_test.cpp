#include "config/schema/auto_augment_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "config/load_recipe.h"
#include "config/rules/augment_rules.h"
#include "config/rules/validate.h"
#include "support.h"
#include "support/messages.h"

namespace vitrain::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Source = PolicySource;
using Kind = PolicyKind;

constexpr double kUniform = std::numeric_limits<double>::infinity();

AutoAugment read(const std::string& text) {
  AutoAugment value;
  EXPECT_EQ(parse_auto_augment(text, value), "") << text;
  return value;
}

TEST(AutoAugmentText, TimmsWordsMeanWhatTheyMeanInTimm) {
  EXPECT_EQ(read("rand"), AutoAugment{});
  EXPECT_EQ(
      read("rand-m9-mstd0.5-inc1"),
      (AutoAugment{.magnitude = 9, .deviation = 0.5, .increasing = true}));
  EXPECT_EQ(
      read("rand-n3-p0.25-m12-mmax15-inc0"),
      (AutoAugment{
          .layers = 3, .magnitude = 12, .probability = 0.25, .most = 15}));
  EXPECT_EQ(read("rand-mstd101").deviation, kUniform);
  EXPECT_EQ(read("rand-mstd100").deviation, 100);
  EXPECT_EQ(read("rand-t3aw-n2").table, "3aw");
  EXPECT_EQ(read("rand-tweights").table, "weights");
  EXPECT_EQ(
      read("v0r-mstd0.5"),
      (AutoAugment{.kind = Kind::kAuto, .table = "v0r", .deviation = 0.5}));
  EXPECT_EQ(read("originalr").table, "originalr");
  EXPECT_EQ(read("original").table, "original");
  EXPECT_EQ(read("3a").table, "3a");
  EXPECT_EQ(
      read("augmix-m5-w4-d2"),
      (AutoAugment{
          .kind = Kind::kMix,
          .magnitude = 5,
          .deviation = kUniform,
          .width = 4,
          .depth = 2}));
  const AutoAugment mix = read("augmix-b1-a0.5-mstd0");
  EXPECT_TRUE(mix.blended);
  EXPECT_EQ(mix.alpha, 0.5);
  EXPECT_EQ(mix.deviation, 0);
  EXPECT_EQ(mix.magnitude, 3);
}

TEST(AutoAugmentText, TorchvisionsAndPaddleVitsHaveTheirNamesInFront) {
  const AutoAugment rand = read("torchvision:randaugment");
  EXPECT_EQ(rand.source, Source::kTorchvision);
  EXPECT_EQ(rand.layers, 2);
  EXPECT_EQ(rand.magnitude, 9);
  EXPECT_EQ(rand.bins, 31);
  EXPECT_EQ(read("torchvision:randaugment-n3-m4-b11").bins, 11);
  const AutoAugment svhn = read("torchvision:autoaugment-svhn");
  EXPECT_EQ(svhn.kind, Kind::kAuto);
  EXPECT_EQ(svhn.table, "svhn");
  EXPECT_EQ(read("torchvision:trivialaugment").kind, Kind::kTrivial);
  const AutoAugment mix = read("torchvision:augmix-s5-w2-d1-o0");
  EXPECT_EQ(mix.kind, Kind::kMix);
  EXPECT_EQ(mix.magnitude, 5);
  EXPECT_EQ(mix.width, 2);
  EXPECT_FALSE(mix.all_ops);
  EXPECT_EQ(
      read("paddlevit:randaugment-n1-m5"),
      (AutoAugment{
          .source = Source::kPaddleVit,
          .layers = 1,
          .magnitude = 5,
          .deviation = 0.5,
          .increasing = true}));
  EXPECT_EQ(read("paddlevit:autoaugment").table, "original");
}

TEST(AutoAugmentText, FaultsNamePlaceAndWhatWouldBeRight) {
  const auto fault = [](const char* text) {
    return validate_auto_augment(text);
  };
  expect_message(fault("random-m9"), {"1"});
  expect_message(fault(""), {"1"});
  EXPECT_EQ(
      fault("rand-m9-x3"),
      "at character 9, \"x3\": expected a value behind one of m, n, p, mstd, "
      "mmax, inc, t");
  EXPECT_EQ(
      fault("rand-m9.5"),
      "at character 6, \"m9.5\": m is followed by an integer in [0, 100]");
  EXPECT_EQ(
      fault("rand-m9-mstdx"),
      "at character 9, \"mstdx\": expected a value behind one of m, n, p, "
      "mstd, mmax, inc, t");
  EXPECT_EQ(
      fault("rand-mstd0.5x"),
      "at character 6, \"mstd0.5x\": mstd is followed by a number >= 0");
  EXPECT_EQ(
      fault("rand-p1.5"),
      "at character 6, \"p1.5\": p is followed by a number in [0, 1]");
  EXPECT_EQ(
      fault("rand-inc2"),
      "at character 6, \"inc2\": inc is followed by 0 or 1");
  EXPECT_EQ(
      fault("rand-tall"),
      "at character 6, \"tall\": t is followed by one of weights, 3a, 3aw");
  EXPECT_EQ(fault("rand-m9-m8"), "at character 9, \"m8\": m is there twice");
  expect_message(fault("rand-m9-"), {"9"});
  expect_message(fault("torchvision:autoaugment"), {"1"});
  EXPECT_EQ(
      fault("torchvision:autoaugment-svhn-m9"),
      "at character 30, \"m9\": nothing follows torchvision:autoaugment-svhn");
  EXPECT_EQ(
      fault("torchvision:randaugment-m31"),
      "m31 must be less than the number of magnitudes, b31");
  expect_message(fault("rand-tweights-n16"), {"15"});
  expect_message(fault("augmix-m5-w0"), {"16"});
}

TEST(AutoAugmentText, IsCheckedWhereItStands) {
  const std::string message =
      refusal_of_yaml("data:\n  augment:\n    auto_augment: rand-q9\n");
  expect_message(
      message,
      {"3", "19", "data.augment.auto_augment", "rand-m9-mstd0.5-inc1", "6"});
  EXPECT_EQ(refusal_of_yaml("data: {augment: {auto_augment: null}}\n"), "");
}

TEST(ColorJitterKey, IsOneNumberOrAList) {
  const auto jitter = [](const std::string& text) {
    return recipe_with({"data.augment.color_jitter=" + text})
        .data.augment.color_jitter;
  };
  EXPECT_THAT(jitter("0.4"), ElementsAre(0.4));
  EXPECT_THAT(jitter("[0.4, 0.3, 0.2, 0.1]"), ElementsAre(0.4, 0.3, 0.2, 0.1));
  EXPECT_THAT(jitter("[]"), IsEmpty());
  expect_message(
      refusal_of_yaml("data: {augment: {color_jitter: -1}}\n"), {"0", "1"});
}

TEST(AugmentRules, JitterHasOneThreeOrFourValues) {
  const auto findings = [](const std::string& text) {
    return check_augment(recipe_with({"data.augment.color_jitter=" + text}));
  };
  for (const char* good : {"0.4", "[0.4, 0.4, 0.4]", "[1, 1, 1, 0.5]", "[]"}) {
    EXPECT_THAT(findings(good), IsEmpty()) << good;
  }
  expect_message(findings("[0.4, 0.4]").at(0).text, {"2"});
  expect_message(findings("[0, 0, 0, 0.6]").at(0).text, {"0.5"});
}

// timm's rule and the note about it.
TEST(AugmentRules, APolicyTakesTheJittersPlace) {
  const auto idle = [](const std::vector<std::string>& sets) {
    return idle_augment_key(recipe_with(sets)).has_value();
  };
  const std::string jitter = "data.augment.color_jitter=0.4";
  const std::string rand = "data.augment.auto_augment=rand-m9";
  EXPECT_FALSE(idle({jitter}));
  EXPECT_FALSE(idle({rand}));
  EXPECT_TRUE(idle({jitter, rand}));
  EXPECT_FALSE(idle({jitter, rand, "data.augment.force_color_jitter=true"}));
  EXPECT_FALSE(idle({jitter, "data.augment.auto_augment=3a"}));
  EXPECT_FALSE(idle({jitter, "data.augment.auto_augment=rand-t3aw"}));

  const TempFolder folder;
  const auto file = folder.write(
      "r.yaml",
      "data: {augment: {color_jitter: 0.4, auto_augment: rand-m9}}\n");
  const Loaded loaded = load({.file = file});
  ASSERT_EQ(loaded.notes.size(), 1U);
  expect_message(
      loaded.notes[0],
      {"1", "32", "data.augment.color_jitter", "auto_augment"});
  EXPECT_THAT(
      load({.file = file, .use = RecipeUse::kEvaluation}).notes, IsEmpty());
}

TEST(AugmentRules, PoliciesMovePixelsAsTheirOriginals) {
  const auto how = [](const std::string& policy, const char* filter) {
    return auto_augment_interpolation(recipe_with(
        {"data.augment.auto_augment=" + policy,
         std::string("data.preprocess.interpolation=") + filter}));
  };
  EXPECT_EQ(how("rand-m9", "bilinear"), AugmentInterpolation::kBilinear);
  EXPECT_EQ(how("v0", "bicubic"), AugmentInterpolation::kBicubic);
  EXPECT_EQ(
      how("torchvision:randaugment", "bicubic"),
      AugmentInterpolation::kNearest);
  EXPECT_EQ(
      how("torchvision:augmix", "bicubic"), AugmentInterpolation::kBilinear);

  const auto with_crops = [](const char* filter) {
    return auto_augment_interpolation(recipe_with(
        {"data.augment.auto_augment=rand-m9",
         std::string("data.augment.interpolation=") + filter,
         "data.preprocess.interpolation=bilinear"}));
  };
  EXPECT_EQ(with_crops("same"), AugmentInterpolation::kBilinear);
  EXPECT_EQ(with_crops("random"), AugmentInterpolation::kRandom);
  EXPECT_EQ(with_crops("nearest"), AugmentInterpolation::kNearest);
  EXPECT_EQ(with_crops("lanczos"), AugmentInterpolation::kBicubic);
}

} // namespace
} // namespace vitrain::config
