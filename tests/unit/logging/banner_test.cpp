#include "logging/banner.h"

#include <gmock/gmock.h>

#include "core/text.h"

namespace vitrain::logging {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(Banner, AlignsLabelsAndTexts) {
  EXPECT_EQ(
      banner(
          "vitrain 0.1.0  vit_tiny",
          {{{"devices", "2 x cpu"}, {"batch", "64 x 2 = 128"}},
           {},
           {{"parameters", "5,526,346"}, {"skipped", ""}},
           {{"run", "runs/x"}}},
          TerminalStyle{}),
      "vitrain 0.1.0  vit_tiny\n"
      "-----------------------\n"
      "  devices     2 x cpu\n"
      "  batch       64 x 2 = 128\n"
      "\n"
      "  parameters  5,526,346\n"
      "\n"
      "  run         runs/x\n");
}

TEST(Banner, WrapsBetweenWordsAndBreaksLongPathsAtSeparators) {
  EXPECT_EQ(
      banner(
          "t",
          {{{"a", "one two three four five six"},
            {"b", "/a/very/long/path/that/does/not/fit/anywhere x"},
            {"c", "first\nsecond"}}},
          TerminalStyle{.columns = 25}),
      "t\n"
      "-\n"
      "  a  one two three four\n"
      "     five six\n"
      "  b  /a/very/long/path/\n"
      "     that/does/not/fit/\n"
      "     anywhere x\n"
      "  c  first\n"
      "     second\n");
}

TEST(Banner, APartOfAPathIsNeverCut) {
  EXPECT_EQ(
      banner(
          "t",
          {{{"a", "runs/a_name_that_is_longer_than_the_line/x"}}},
          TerminalStyle{.columns = 25}),
      "t\n"
      "-\n"
      "  a  runs/\n"
      "     a_name_that_is_longer_than_the_line/\n"
      "     x\n");
}

TEST(Banner, ColoursDoNotMoveColumns) {
  const TerminalStyle fancy{.colour = true, .unicode = true};
  EXPECT_EQ(
      banner("t\u732b", {{{"\u732b", "wide"}, {"abc", "narrow"}}}, fancy),
      "\x1b[1mt\u732b\x1b[0m\n"
      "\x1b[2m\u2500\u2500\u2500\x1b[0m\n"
      "  \x1b[36m\u732b\x1b[0m   wide\n"
      "  \x1b[36mabc\x1b[0m  narrow\n");
}

TEST(Banner, HostileNamesStayOnTheirLine) {
  EXPECT_EQ(
      banner("t\n\x1b[2J", {{{"run\r", "a\x1b[31m\tb"}}}, TerminalStyle{}),
      "t\\x0a\\x1b[2J\n"
      "------------\n"
      "  run\\x0d  a\\x1b[31m\\x09b\n");
}

TEST(Closing, TheLastLineSaysWhatWasReachedAndWhere) {
  const Closing end{
      .outcome = "done",
      .seconds = 83,
      .steps = 1560,
      .epochs = 10,
      .images_per_second = 1234.4,
      .last =
          Reached{
              .loss = 0.10344,
              .correct1 = 9731,
              .correct5 = 9995,
              .count = 10000},
      .best = "top1 97.50 at epoch 9",
      .checkpoint = "runs/x/checkpoints/step-000001560",
      .problems = {"2 lines to the log file dropped: No space left on device"},
      .folder = "runs/x"};
  EXPECT_EQ(
      closing(end, TerminalStyle{}),
      "  trained     10 epochs, 1,560 steps in 1:23, 1,234 images/s\n"
      "  best        top1 97.50 at epoch 9\n"
      "  checkpoint  runs/x/checkpoints/step-000001560\n"
      "  problems    2 lines to the log file dropped: No space left on device\n"
      "done: top1 97.31 % (9,731 of 10,000), top5 99.95 %, loss 0.1034 in "
      "runs/x\n");
}

TEST(Closing, FewClassesHaveNoTop5) {
  EXPECT_EQ(
      closing(
          {.outcome = "done",
           .last = Reached{.loss = 0.5, .correct1 = 1500, .count = 2000}},
          TerminalStyle{}),
      "  time  0:00\n"
      "done: top1 75.00 % (1,500 of 2,000), loss 0.5000\n");
}

TEST(Closing, ARunThatWasContinuedSaysItsWholeTime) {
  const std::string text = closing(
      {.outcome = "done",
       .seconds = 13,
       .earlier_seconds = 47,
       .resumed = 780,
       .steps = 1560,
       .epochs = 10},
      TerminalStyle{});
  EXPECT_THAT(
      text,
      HasSubstr("10 epochs, 1,560 steps in 1:00 (0:13 of it since step 780)"));
}

TEST(Closing, CommandsCanBeCopied) {
  const Closing end{
      .outcome = "done",
      .seconds = 1,
      .commands = {
          {"continue", "vitrain -resume runs/a -set run.epochs=20", true},
          {"look", "vitrain show runs/a", true}}};
  EXPECT_EQ(
      closing(end, TerminalStyle{}),
      "  time      0:01\n\n"
      "  continue  vitrain -resume runs/a -set run.epochs=20\n"
      "  look      vitrain show runs/a\n"
      "done\n");
  // A shell joins lines that end with a backslash.
  EXPECT_THAT(
      closing(end, TerminalStyle{.columns = 40}),
      HasSubstr("  continue  vitrain -resume runs/a \\\n"
                "            -set run.epochs=20\n"));
}

TEST(Closing, ListsOfLabelsHaveTheirMeanAveragePrecision) {
  const Closing end{
      .outcome = "evaluated",
      .seconds = 3,
      .last = Reached{.loss = 0.413482, .map = 67.589, .count = 33}};
  EXPECT_EQ(
      closing(end, TerminalStyle{}),
      "  time  0:03\n"
      "evaluated: map 67.59 %, loss 0.413482 over 33\n");
}

TEST(Closing, TheLastLineKeepsWithinEightyColumns) {
  Closing end{
      .outcome = "done",
      .seconds = 83,
      .last =
          Reached{
              .loss = 0.10344,
              .correct1 = 9731,
              .correct5 = 9995,
              .count = 10000},
      .folder = "runs/shapes_vit_tiny-20260131-120000"};
  for (const int columns : {80, 200}) {
    EXPECT_EQ(
        closing(end, TerminalStyle{.columns = columns}),
        "  time  1:23\n"
        "  last  top1 97.31 % (9,731 of 10,000), top5 99.95 %, loss 0.1034\n"
        "done: top1 97.31 % in runs/shapes_vit_tiny-20260131-120000\n");
  }
  end.folder = "/a/folder/with/many/parts/" + std::string(40, 'x') + "/run";
  EXPECT_EQ(
      closing(end, TerminalStyle{}),
      "  time        1:23\n"
      "  run folder  /a/folder/with/many/parts/\n"
      "              xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/run\n"
      "done: top1 97.31 % (9,731 of 10,000), top5 99.95 %, loss 0.1034\n");
  // Even the short result was printed on terminals that are narrower.
  EXPECT_EQ(
      closing(
          {.outcome = "done",
           .seconds = 83,
           .last = Reached{.loss = 0.5, .count = 10}},
          TerminalStyle{.columns = 12}),
      "  time  1:23\n"
      "  last  loss 0.5 over 10\n"
      "done\n");
}

TEST(Closing, AnEpochThatHasOnlyBegunIsNotCounted) {
  const auto trained = [](std::int64_t steps, std::int64_t total) {
    const std::string text = closing(
        {.outcome = "done",
         .steps = steps,
         .total_steps = total,
         .epochs = steps / 62,
         .begun_steps = steps % 62,
         .epoch_steps = 62},
        TerminalStyle{});
    return text.substr(0, text.find(" in "));
  };
  EXPECT_EQ(trained(124, 124), "  trained  2 epochs, 124 steps");
  EXPECT_EQ(trained(62, 62), "  trained  1 epoch, 62 steps");
  EXPECT_EQ(trained(5, 62), "  trained  5 of 62 steps");
  EXPECT_EQ(trained(5, 620), "  trained  5 of 620 steps");
  EXPECT_EQ(trained(5, 5), "  trained  5 of 62 steps of an epoch");
  EXPECT_EQ(trained(62, 620), "  trained  1 epoch, 62 of 620 steps");
  EXPECT_EQ(
      trained(67, 620),
      "  trained  1 epoch and 5 of 62 steps, 67 of 620 steps");
  EXPECT_EQ(trained(67, 67), "  trained  1 epoch and 5 of 62 steps, 67 steps");
}

TEST(Closing, AnEvaluationAloneAndARunWithoutOne) {
  const Closing evaluated{
      .outcome = "evaluated",
      .seconds = 2,
      .last = Reached{.loss = 2, .correct1 = 0, .correct5 = 1, .count = 3}};
  EXPECT_EQ(
      closing(evaluated, TerminalStyle{}),
      "  time  0:02\n"
      "evaluated: top1 0.00 % (0 of 3), top5 33.33 %, loss 2.0000\n");
  const Closing stopped{
      .outcome = "stopped on request",
      .seconds = 2,
      .steps = 1,
      .epochs = 1,
      .folder = "runs/a\nb"};
  EXPECT_THAT(
      closing(stopped, TerminalStyle{}),
      EndsWith("stopped on request in runs/a\\x0ab\n"));
  EXPECT_EQ(
      closing({.outcome = "done", .steps = 1}, TerminalStyle{}).find("nan"),
      std::string::npos);
}

} // namespace
} // namespace vitrain::logging
