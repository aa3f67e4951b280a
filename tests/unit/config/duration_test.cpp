#include "config/schema/duration.h"

#include <gtest/gtest.h>

#include <tuple>

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

TEST(Duration, ParsesTimes) {
  for (const auto& [text, seconds, written] :
       {std::tuple{"3h50m", 13800.0, "3h50min"},
        {"3h50min", 13800.0, "3h50min"},
        {"30min", 1800.0, "30min"},
        {"90s", 90.0, "1min30s"},
        {"0.25s", 0.25, "0.25s"},
        {"1.5h", 5400.0, "1h30min"},
        {"1d1s", 86401.0, "24h1s"},
        {"0s", 0.0, "0s"}}) {
    Duration duration;
    ASSERT_TRUE(parse_duration(text, duration)) << text;
    EXPECT_EQ(duration, (Duration{seconds, Unit::kSeconds})) << text;
    EXPECT_EQ(duration.text(), written);
  }
  for (const char* text :
       {"3h50",
        "50m3h",
        "1h1h",
        "h",
        "-1h",
        "1 h",
        "1H",
        ".5h",
        "1e3s",
        "1..5s",
        "0.0001s",
        "99999999999999999999d",
        "1hour"}) {
    Duration duration;
    EXPECT_FALSE(parse_duration(text, duration)) << text;
  }
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
    duration.unit = static_cast<Unit>(random.below(4));
    duration.value = duration.unit == Unit::kEpochs ? random.uniform(0.0, 1e6)
        : duration.unit == Unit::kSteps || duration.is_time()
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
