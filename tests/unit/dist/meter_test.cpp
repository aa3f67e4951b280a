#include "dist/group/meter.h"

#include <cmath>

#include <gtest/gtest.h>

namespace vitrain::dist {
namespace {

TEST(AverageMeter, IsZeroBeforeTheFirstUpdate) {
  const AverageMeter meter;
  EXPECT_EQ(meter.avg(), 0.0);
  EXPECT_EQ(meter.sum(), 0.0);
  EXPECT_EQ(meter.count(), 0);
}

TEST(AverageMeter, CountsEachValueNTimes) {
  AverageMeter meter;
  meter.update(2.0);
  meter.update(0.5, /*n=*/3);
  EXPECT_EQ(meter.sum(), 3.5);
  EXPECT_EQ(meter.count(), 4);
  EXPECT_EQ(meter.avg(), 0.875);
  meter.update(1e9, /*n=*/0);
  EXPECT_EQ(meter.avg(), 0.875);
}

// In single precision the sum would stop growing at 2^24.
TEST(AverageMeter, SumsInDouble) {
  AverageMeter meter;
  meter.update(1.0, std::int64_t{1} << 24);
  meter.update(1.0);
  EXPECT_EQ(meter.sum(), 16777217.0);
  EXPECT_EQ(meter.avg(), 1.0);
}

TEST(AverageMeter, MergesSumsAndCountsOfOthers) {
  AverageMeter one;
  one.update(0.25, /*n=*/2);
  AverageMeter other;
  other.update(1.0, /*n=*/6);
  one.merge(other.sum(), other.count());
  EXPECT_EQ(one.count(), 8);
  EXPECT_EQ(one.avg(), 0.8125);
}

TEST(AverageMeter, ForgetsEverythingOnReset) {
  AverageMeter meter;
  meter.update(3.0, /*n=*/7);
  meter.reset();
  EXPECT_EQ(meter.sum(), 0.0);
  EXPECT_EQ(meter.count(), 0);
  meter.update(1.0);
  EXPECT_EQ(meter.avg(), 1.0);
}

TEST(AverageMeter, ShowsANaNInsteadOfHidingIt) {
  AverageMeter meter;
  meter.update(1.0);
  meter.update(std::nan(""));
  EXPECT_TRUE(std::isnan(meter.avg()));
}

} // namespace
} // namespace vitrain::dist
