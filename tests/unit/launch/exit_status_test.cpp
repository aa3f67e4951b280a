#include "launch/processes/exit_status.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "trial.h"

namespace vitrain::launch {
namespace {

TEST(ExitStatus, TextSaysHow) {
  EXPECT_EQ(
      (ExitStatus{.signalled = true, .value = SIGKILL}.text()),
      "was killed by signal 9 (SIGKILL)");
  EXPECT_EQ(
      (ExitStatus{.signalled = false, .value = 3}.text()),
      "ended with exit code 3 (data)");
  EXPECT_EQ(
      (ExitStatus{.signalled = false, .value = 139}.text()),
      "ended with exit code 139");
}

TEST(ExitStatus, OnlyDefinedCodesBecomeTheRunsOwn) {
  for (int code = 1; code <= 8; ++code) {
    EXPECT_EQ(run_exit_code({.signalled = false, .value = code}), code);
  }
  for (const int code : {0, 9, 42, 75, 127, 143, 255}) {
    EXPECT_EQ(run_exit_code({.signalled = false, .value = code}), 7) << code;
  }
  EXPECT_EQ(run_exit_code({.signalled = true, .value = 3}), 7);
}

TEST(ExitStatus, JudgedByCodeSignalAndWhatWasFinished) {
  const auto code = [](int value, bool done) {
    HeartbeatBlock::Progress progress;
    progress.phase = done ? RunPhase::kDone : RunPhase::kStep;
    return judge({.signalled = false, .value = value}, progress);
  };
  EXPECT_EQ(code(0, true), Verdict::kClean);
  EXPECT_EQ(code(0, false), Verdict::kFailed);
  EXPECT_EQ(code(75, false), Verdict::kClean);
  EXPECT_EQ(code(7, false), Verdict::kPerhapsConsequence);
  EXPECT_EQ(code(3, true), Verdict::kFailed);
  // By the watchdog of NCCL, or for corrupted memory.
  EXPECT_EQ(
      judge({.signalled = true, .value = SIGABRT}, {.failed = 3}),
      Verdict::kPerhapsConsequence);
  EXPECT_EQ(judge({.signalled = true, .value = SIGABRT}, {}), Verdict::kFailed);
  EXPECT_EQ(
      judge({.signalled = true, .value = SIGSEGV}, {.failed = 3}),
      Verdict::kFailed);
}

TEST(ExitStatus, WhereNamesTheStepUnderWay) {
  EXPECT_EQ(where({}), "in set-up");
  EXPECT_EQ(where({.phase = RunPhase::kStep, .step = -1}), "in step 1");
  EXPECT_EQ(where({.phase = RunPhase::kStep, .step = 119}), "in step 120");
  EXPECT_EQ(
      where({.phase = RunPhase::kEval, .step = 500}),
      "in evaluation after step 500");
  EXPECT_EQ(where_exactly({}), "in set-up");
  EXPECT_EQ(where_exactly({.part = "forward"}), "in set-up (forward)");
}

TEST(LastLines, ShowThisRunsPartOnlyAndNothingThatForges) {
  TempFolder folder;
  const auto log = folder.path() / "log";
  EXPECT_EQ(last_lines(log, 0, 5), "");
  std::ofstream(log, std::ios::binary)
      << "old run\n"
      << "one\ntwo\x1b[2J\rthree\nna\xc3\xafve\n\n";
  EXPECT_EQ(
      last_lines(log, 8, 5),
      "  | one\n  | two\\x1b[2J\\x0dthree\n  | na\xc3\xafve\n");
  EXPECT_EQ(last_lines(log, 8, 1), "  | na\xc3\xafve\n");
  EXPECT_EQ(last_lines(log, 8, 0), "");
  EXPECT_EQ(last_lines(log, 1000, 5), "");
  EXPECT_EQ(last_lines(folder.path(), 0, 5), ""); // a folder
}

// The banner was on the terminal before; only the reason of the end is new.
TEST(LastLines, ComeWithoutTheBanner) {
  const std::string banner = "vitrain 0.1.0  vit_tiny\n"
                             "-----------------------\n"
                             "  devices  2 x cpu\n"
                             "\n"
                             "  run      runs/x\n";
  const std::string steps =
      "epoch 1/2  batch 1/9  loss 2.3\nepoch 1/2  batch 5/9  loss 2.2\n";
  TempFolder folder;
  const auto log = folder.path() / "log";
  const auto write = [&](const std::string& text) {
    std::ofstream(log, std::ios::binary) << text;
  };
  write(banner + steps + "terminate called\n");
  EXPECT_EQ(
      last_lines(log, 0, 15),
      "  | epoch 1/2  batch 1/9  loss 2.3\n"
      "  | epoch 1/2  batch 5/9  loss 2.2\n"
      "  | terminate called\n");
  EXPECT_EQ(stated_reason(log, 0, 15), "");
  write(banner);
  EXPECT_EQ(last_lines(log, 0, 15), "");
  write(banner + steps + "error: cannot read it\n  shape [3]\n");
  EXPECT_EQ(
      stated_reason(log, 0, 15), "  | error: cannot read it\n  | shape [3]\n");
  EXPECT_EQ(stated_reason(log, 0, 1), "  | error: cannot read it\n");
  // A line of text that is no rule.
  write("a\n-- b\n  c\n");
  EXPECT_EQ(last_lines(log, 0, 15), "  | a\n  | -- b\n  | c\n");
}

TEST(LastLines, LongLogsAreReadFromTheirEnd) {
  TempFolder folder;
  const auto log = folder.path() / "log";
  {
    std::ofstream out(log);
    for (int i = 0; i < 100000; ++i) {
      out << "line " << i << "\n";
    }
  }
  EXPECT_EQ(last_lines(log, 0, 2), "  | line 99998\n  | line 99999\n");
  // No newline at all: cut to a bounded size.
  std::ofstream(log) << std::string(1 << 20, 'x');
  EXPECT_LT(last_lines(log, 0, 5).size(), 17000U);
}

} // namespace
} // namespace vitrain::launch
