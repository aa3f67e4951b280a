#include "launch/supervise/restarts.h"
#include "support/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vitrain::launch {
namespace {

const Death kAtTen{
    .how = "was killed by signal 9 (SIGKILL) in step 11",
    .step = 10};
const Death kAtTwelve{
    .how = "was killed by signal 9 (SIGKILL) in step 13",
    .step = 12};

TEST(Restarts, NoneWhereNoneIsAllowed) {
  Restarts restarts(0);
  EXPECT_FALSE(restarts.after(kAtTen));
  EXPECT_EQ(restarts.reason(), "");
}

// A job of weeks that loses a worker a day needs no larger number.
TEST(Restarts, ProgressBeginsTheCountAnew) {
  Restarts restarts(2);
  for (std::int64_t step = 1; step < 50; ++step) {
    EXPECT_TRUE(restarts.after({.how = "was killed", .step = step}));
    EXPECT_EQ(restarts.in_a_row(), 1);
  }
}

TEST(Restarts, DeathsWithoutProgressAreCounted) {
  Restarts restarts(2);
  EXPECT_TRUE(restarts.after({.how = "a", .step = 10}));
  EXPECT_TRUE(restarts.after({.how = "b", .step = 10}));
  EXPECT_EQ(restarts.in_a_row(), 2);
  // Further than the last one, but no further than the first.
  EXPECT_FALSE(restarts.after({.how = "c", .step = 9}));
  expect_message(restarts.reason(), {"2", "10"});
}

TEST(Restarts, TheSameDeathTwiceIsTheLast) {
  Restarts restarts(9);
  EXPECT_TRUE(restarts.after(kAtTen));
  EXPECT_FALSE(restarts.after(kAtTen));
  expect_message(restarts.reason(), {"9", "11"});
  // Twice in a row, that is.
  Restarts others(9);
  EXPECT_TRUE(others.after(kAtTen));
  EXPECT_TRUE(others.after(kAtTwelve));
  EXPECT_TRUE(others.after(kAtTen));
}

TEST(Restarts, WhatIsMissingInSetUpMayComeYet) {
  Restarts restarts(3);
  const Death unknown{.how = "", .step = 10};
  EXPECT_TRUE(restarts.after(unknown));
  EXPECT_TRUE(restarts.after(unknown));
  EXPECT_TRUE(restarts.after(unknown));
  EXPECT_FALSE(restarts.after(unknown));
}

} // namespace
} // namespace vitrain::launch
