#include "logging/progress.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/text.h"
#include "support.h"

namespace vitrain::logging {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ProgressState example() {
  return {
      .epoch = 3,
      .epochs = 10,
      .batch = 120,
      .batches = 156,
      .loss = 1.23449,
      .top1 = 56.25,
      .top5 = 90.1,
      .lr = 9.8e-4,
      .images_per_second = 1234.4,
      .data_wait = 0.003,
      .eta_seconds = 83.2};
}

TEST(Progress, PlainLine) {
  EXPECT_EQ(
      plain_line(example()),
      "epoch 3/10  batch 120/156  loss 1.2345  top1 56.25  top5 90.10  "
      "lr 9.8e-04  img/s 1,234  wait 0.3%  eta 1:23");
}

TEST(Progress, PlainLineOfAnEvaluation) {
  ProgressState state = example();
  state.phase = Phase::kEval;
  EXPECT_EQ(
      plain_line(state),
      "eval  epoch 3/10  batch 120/156  loss 1.2345  top1 56.25  top5 90.10  "
      "img/s 1,234  wait 0.3%  eta 1:23");
}

TEST(Progress, SaysInEveryLineThatNothingIsSaved) {
  ProgressState state = example();
  state.unsaved = "3 saves failed, last of step 40";
  EXPECT_THAT(
      plain_line(state),
      HasSubstr("  UNSAVED 3 saves failed, last of step 40  eta"));
  state.phase = Phase::kEval;
  EXPECT_THAT(plain_line(state), HasSubstr("  UNSAVED 3 saves failed"));
  // However narrow the terminal is: the last that is left out.
  for (const int columns : {80, 60, 40}) {
    EXPECT_THAT(
        live_line(state, TerminalStyle{.columns = columns}),
        HasSubstr("UNSAVED"))
        << columns;
  }
}

TEST(Progress, ShowsWhatTheExchangeCosts) {
  ProgressState state = example();
  state.comm_bytes = 4'100'000;
  state.comm_wait = 0.1234;
  const std::string exchange = "comm " + human_bytes(4'100'000) + " 12.3%";
  EXPECT_THAT(plain_line(state), HasSubstr("wait 0.3%  " + exchange + "  eta"));
  EXPECT_THAT(
      live_line(state, TerminalStyle{.columns = 200}),
      HasSubstr(exchange + "  eta"));
  state.phase = Phase::kEval;
  EXPECT_THAT(plain_line(state), Not(HasSubstr("comm")));
}

TEST(Progress, ShowsHowLateUpdatesAre) {
  ProgressState state = example();
  state.staleness = {.mean = 0.75, .largest = 3};
  EXPECT_THAT(
      plain_line(state), HasSubstr("wait 0.3%  stale 0.75 (3)  eta 1:23"));
  EXPECT_THAT(
      live_line(state, TerminalStyle{.columns = 200}),
      HasSubstr("stale 0.75 (3)"));
  state.phase = Phase::kEval;
  EXPECT_THAT(plain_line(state), Not(HasSubstr("stale")));
}

TEST(Progress, LineOfOneWorker) {
  ProgressState state = example();
  state.top5.reset();
  state.comm_bytes = 4'100'000;
  state.comm_wait = 0.1234;
  EXPECT_EQ(
      worker_line(2, 1920, state),
      "worker 2  epoch 3/10  batch 120/156  loss 1.2345  top1 56.25  samples "
      "1,920  img/s 1,234  wait 0.3%  comm " +
          human_bytes(4'100'000) + " 12.3%");
  // One that had no samples has no loss.
  state.top1.reset();
  EXPECT_THAT(worker_line(2, 0, state), HasSubstr("120/156  samples 0  img/s"));
}

TEST(Progress, OddNumbersStayReadable) {
  ProgressState state = example();
  state.loss = std::numeric_limits<double>::quiet_NaN();
  state.images_per_second = std::numeric_limits<double>::infinity();
  state.eta_seconds = -1;
  EXPECT_THAT(plain_line(state), HasSubstr("loss nan  "));
  EXPECT_THAT(plain_line(state), HasSubstr("img/s -  "));
  EXPECT_THAT(plain_line(state), HasSubstr("eta -:--"));
  state.loss = 1.5e-7;
  state.images_per_second = 3.21;
  EXPECT_THAT(plain_line(state), HasSubstr("loss 1.500e-07"));
  EXPECT_THAT(plain_line(state), HasSubstr("img/s 3.2 "));
  state.loss = 0.0;
  EXPECT_THAT(plain_line(state), HasSubstr("loss 0.0000"));
}

TEST(Progress, LiveLineAt80ColumnsShowsWhatMattersMost) {
  EXPECT_EQ(
      live_line(example(), TerminalStyle{.columns = 80}),
      "epoch 3/10 [=======>  ] 120/156  loss 1.2345  top1 56.25  img/s 1,234  "
      "eta 1:23");
}

TEST(Progress, LiveLineAt200ColumnsShowsEverything) {
  EXPECT_EQ(
      live_line(example(), TerminalStyle{.columns = 200}),
      "epoch 3/10 [=====================>      ] 120/156  loss 1.2345  "
      "top1 56.25  top5 90.10  lr 9.8e-04  img/s 1,234  wait 0.3%  eta 1:23");
}

TEST(Progress, LiveLineFitsEveryWidth) {
  ProgressState state = example();
  for (const std::int64_t batch : {0, 1, 77, 155, 156, 400}) {
    for (const double loss : {0.5, 1e-9, 123456.0, std::nan("")}) {
      state.batch = batch;
      state.loss = loss;
      state.phase = batch % 2 == 0 ? Phase::kTrain : Phase::kEval;
      for (int columns = 20; columns <= 200; ++columns) {
        for (const bool fancy : {false, true}) {
          const TerminalStyle style{
              .colour = fancy, .unicode = fancy, .columns = columns};
          const std::string line = live_line(state, style);
          ASSERT_LT(display_width(line), columns) << line;
          ASSERT_EQ(line.find('\n'), std::string::npos);
        }
      }
    }
  }
}

TEST(Progress, FieldsLeaveInOrderOfImportance) {
  const auto shown = [](int columns) {
    std::string keys;
    const std::string line =
        live_line(example(), TerminalStyle{.columns = columns});
    for (const char* key :
         {"loss", "top1", "eta", "img/s", "[", "lr", "top5", "wait"}) {
      keys += line.find(key) != std::string::npos ? '1' : '0';
    }
    return keys;
  };
  // A field never appears before more important fields.
  for (int columns = 20; columns <= 200; ++columns) {
    EXPECT_EQ(shown(columns).find("01"), std::string::npos)
        << columns << ": " << shown(columns);
  }
  EXPECT_EQ(shown(20), "00000000");
  EXPECT_EQ(shown(200), "11111111");
}

TEST(Progress, TheLineDoesNotJumpWhileBatchesCount) {
  ProgressState state = example();
  const TerminalStyle style{.columns = 120};
  state.batch = 1;
  const std::size_t at_first = live_line(state, style).find("loss");
  state.batch = 156;
  EXPECT_EQ(live_line(state, style).find("loss"), at_first);
}

TEST(Progress, TheBarIsEmptyAtFirstAndFullAtLast) {
  ProgressState state = example();
  const TerminalStyle style{.columns = 200};
  state.batch = 0;
  EXPECT_THAT(
      live_line(state, style), HasSubstr("[>                           ]"));
  state.batch = state.batches;
  EXPECT_THAT(
      live_line(state, style), HasSubstr("[============================]"));
  state.batches = 0; // not known yet
  EXPECT_THAT(
      live_line(state, style), HasSubstr("[>                           ]"));
}

class Display : public OnATerminal {
 protected:
  std::string file() const { return slurp(folder_ / "log"); }

  TempFolder folder_;
  Fd log_ = open_for_append(folder_ / "log");
  ScopedVariable term_{"TERM", "xterm"};
  ScopedVariable no_color_{"NO_COLOR", "1"};
  Terminal terminal_{100};
};

TEST_F(Display, OnATerminalTheLineIsLiveAndTheFilePlain) {
  Console console(
      {.log_fd = log_.get(), .terminal_fd = terminal_.screen.get()});
  {
    ProgressDisplay display(console, config::ProgressKind::kAuto);
    EXPECT_TRUE(display.wants_update());
    display.update(example());
    EXPECT_FALSE(display.wants_update()); // just drawn
    EXPECT_THAT(terminal_.text(), StartsWith("\repoch 3/10 "));
    display.update(example());
    display.milestone(example());
    EXPECT_EQ(terminal_.text(), "");
  }
  EXPECT_EQ(terminal_.text(), "\r\x1b[K");
  EXPECT_EQ(file(), plain_line(example()) + "\n");
}

TEST_F(Display, PlainLinesOnATerminalWhenAsked) {
  Console console(
      {.log_fd = log_.get(), .terminal_fd = terminal_.screen.get()});
  ProgressDisplay display(console, config::ProgressKind::kPlain);
  EXPECT_FALSE(display.wants_update());
  display.update(example());
  EXPECT_EQ(terminal_.text(), "");
  display.milestone(example());
  EXPECT_EQ(terminal_.text(), plain_line(example()) + "\n");
}

TEST_F(Display, ALineWithoutATerminalIsPlain) {
  const Fd second = open_for_append(folder_ / "pretended");
  Console console({.log_fd = log_.get(), .terminal_fd = second.get()});
  ProgressDisplay display(console, config::ProgressKind::kLine);
  display.update(example());
  display.milestone(example());
  EXPECT_EQ(slurp(folder_ / "pretended"), plain_line(example()) + "\n");
  EXPECT_EQ(file(), plain_line(example()) + "\n");
}

TEST_F(Display, OffIsSilent) {
  Console console(
      {.log_fd = log_.get(), .terminal_fd = terminal_.screen.get()});
  ProgressDisplay display(console, config::ProgressKind::kOff);
  display.update(example());
  display.milestone(example());
  EXPECT_EQ(terminal_.text(), "");
  EXPECT_EQ(file(), "");
}

TEST(EpochLine, HasLossEvaluationRateAndTime) {
  const EpochSummary epoch{
      .epoch = 3,
      .epochs = 10,
      .loss = 0.4512,
      .eval_loss = 0.5123,
      .top1 = 85.3,
      .top5 = 99.1,
      .best = true,
      .lr = 9.8e-4,
      .seconds = 12};
  EXPECT_EQ(
      epoch_line(epoch, TerminalStyle{.columns = 120}),
      "epoch 3/10  loss 0.4512  eval loss 0.5123  top1 85.30 %  top5 99.10 %  "
      "lr 9.8e-04  time 0:12  best");
  EXPECT_EQ(
      epoch_line(epoch, TerminalStyle{.columns = 60}),
      "epoch 3/10  loss 0.4512  top1 85.30 %  lr 9.8e-04  time 0:12");
  for (int columns = 60; columns < 130; ++columns) {
    const std::string line =
        epoch_line(epoch, TerminalStyle{.unicode = true, .columns = columns});
    EXPECT_LE(display_width(line), columns);
    for (const char* part : {"  loss 0.4512", "top1", "lr ", "time "}) {
      EXPECT_THAT(line, HasSubstr(part)) << columns;
    }
  }
}

TEST(EpochLine, WithoutAnEvaluation) {
  EXPECT_EQ(
      epoch_line(
          {.epoch = 1, .epochs = 2, .loss = 2.5, .lr = 0.1, .seconds = 61},
          TerminalStyle{}),
      "epoch 1/2  loss 2.5000  lr 1.0e-01  time 1:01");
  EXPECT_EQ(
      epoch_line(
          {.epoch = 1, .epochs = 2, .eval_loss = 2.5, .lr = 0.1},
          TerminalStyle{}),
      "epoch 1/2  eval loss 2.5000  lr 1.0e-01  time 0:00");
}

} // namespace
} // namespace vitrain::logging
