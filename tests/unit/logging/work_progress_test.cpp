#include "logging/progress.h"

#include <gtest/gtest.h>

namespace vitrain::logging {
namespace {

TEST(Work, SaysHowFarItIs) {
  EXPECT_EQ(
      work_line("reading", 250, 1000, 0.5, {}),
      "reading [=======>                    ] 250/1,000  500/s  eta 0:02");
  EXPECT_EQ(
      work_line("reading", 0, 10, 0.0, {}).substr(0, 46),
      "reading [>                           ] 0/10  0");
  EXPECT_EQ(
      work_line("reading", 10, 10, 1.0, {}).substr(0, 46),
      "reading [============================] 10/10  ");
}

TEST(Work, FitsTheTerminal) {
  EXPECT_EQ(work_line("reading", 1, 2, 1.0, {.columns = 40}).size(), 39u);
}

TEST(Work, FillsItsBarWithHalfColumns) {
  EXPECT_EQ(work_bar(0.5, 3, {.unicode = true}), "\u2501\u2578\u2500");
  EXPECT_EQ(work_bar(1.0, 3, {.unicode = true}), "\u2501\u2501\u2501");
}

} // namespace
} // namespace vitrain::logging
