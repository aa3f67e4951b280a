#include "config/schema/duration.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace vitrain::config {
namespace {

using Unit = Duration::Unit;

TEST(Duration, ParsesTheThreeForms) {
  Duration duration;
  ASSERT_TRUE(parse_duration("10ep", duration));
  EXPECT_EQ(duration, (Duration{10.0, Unit::kEpochs}));
  ASSERT_TRUE(parse_duration("500st", duration));
  EXPECT_EQ(duration, (Duration{500.0, Unit::kSteps}));
  ASSERT_TRUE(parse_duration("0.1dur", duration));
  EXPECT_EQ(duration, (Duration{0.1, Unit::kFraction}));
  ASSERT_TRUE(parse_duration("2.5ep", duration));
  EXPECT_EQ(duration.value, 2.5);
  ASSERT_TRUE(parse_duration("0ep", duration));
  EXPECT_EQ(duration.value, 0.0);
}

TEST(Duration, RefusesEverythingElse) {
  const Duration before{7.0, Unit::kSteps};
  for (const char* text :
       {"",      "10",    "ep",    "-1ep",    "+1ep",    "1.5st", "1.5dur",
        "10 ep", "10EP",  "nanep", "infst",   "1e400ep", "10epo", "0x10st",
        ".5dur", " 10ep", "10ep ", "1e300st", "--1st",   "1dur1"}) {
    Duration duration = before;
    EXPECT_FALSE(parse_duration(text, duration)) << text;
    EXPECT_EQ(duration, before) << text;
  }
}

TEST(Duration, TextParsesBack) {
  Random random(5, Purpose::kAugment, 0, 0);
  for (int i = 0; i < 2000; ++i) {
    Duration duration;
    duration.unit = static_cast<Unit>(random.below(3));
    duration.value = duration.unit == Unit::kEpochs ? random.uniform(0.0, 1e6)
        : duration.unit == Unit::kSteps
        ? static_cast<double>(random.below(std::uint64_t{1} << 53))
        : random.uniform();
    Duration parsed;
    ASSERT_TRUE(parse_duration(duration.text(), parsed)) << duration.text();
    EXPECT_EQ(parsed, duration) << duration.text();
  }
}

TEST(Duration, StepsAreRoundedToTheNearest) {
  EXPECT_EQ((Duration{2.0, Unit::kEpochs}).steps(391, 39100), 782);
  EXPECT_EQ((Duration{0.5, Unit::kEpochs}).steps(391, 39100), 196);
  EXPECT_EQ((Duration{500.0, Unit::kSteps}).steps(391, 39100), 500);
  EXPECT_EQ((Duration{0.1, Unit::kFraction}).steps(391, 39100), 3910);
  EXPECT_EQ((Duration{1.0, Unit::kFraction}).steps(391, 39100), 39100);
  EXPECT_EQ((Duration{0.001, Unit::kEpochs}).steps(391, 39100), 0);
}

TEST(Duration, HugeLengthsDoNotOverflow) {
  EXPECT_EQ(
      (Duration{9e15, Unit::kEpochs}).steps(1000000, 1), std::int64_t{1} << 53);
}

} // namespace
} // namespace vitrain::config
