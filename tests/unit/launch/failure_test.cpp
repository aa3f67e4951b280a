#include "launch/supervise/failure.h"

#include <gtest/gtest.h>

namespace vitrain::launch {
namespace {

TEST(ShortReason, IsHowItEndedOrWhatItSaid) {
  const Failure killed{
      .rank = 1, .cause = "was killed by signal 9 (SIGKILL) in step 1,200"};
  EXPECT_EQ(
      short_reason(killed, ""),
      "rank 1 killed by signal 9 (SIGKILL) in step 1,200");
  const Failure spoke{.rank = 2, .cause = "ended with exit code 3 (data)"};
  EXPECT_EQ(
      short_reason(spoke, "  | error: no such file: x\n  | more\n"),
      "rank 2: no such file: x");
  EXPECT_EQ(short_reason(spoke, ""), "rank 2 ended with exit code 3 (data)");
}

} // namespace
} // namespace vitrain::launch
