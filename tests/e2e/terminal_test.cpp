// Runs without a reader: the reader of a pipe is gone or stalled, a terminal is
// paused, closed or interrupted. No such event may cost a checkpoint or a
// restart, or keep a run from ending.

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "core/system/files.h"
#include "named_pipe.h"
#include "program.h"

namespace vitrain::e2e {
namespace {

using testing::HasSubstr;

// An endless run, which only a stop signal ends.
Command endless(const std::filesystem::path& output, const Options& more = {}) {
  const Options options{
      .devices = "cpu:2",
      .set = {
          "run.epochs=100000",
          "run.max_steps=1000000",
          "run.name=r",
          "eval.every=1000ep",
          "checkpoint.every=1000ep"}};
  return vitrain(tiny_run(output, options.with(more)), kOneThread);
}

// Tests on a pseudo-terminal; skipped if none can be created.
class OnATerminal : public testing::Test {
 protected:
  void SetUp() override {
    keyboard_ = Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    std::array<char, 64> name{};
    if (!keyboard_ || ::grantpt(keyboard_.get()) != 0 ||
        ::unlockpt(keyboard_.get()) != 0 ||
        ::ptsname_r(keyboard_.get(), name.data(), name.size()) != 0) {
      GTEST_SKIP() << "no pseudo terminal can be opened here (is /dev/pts "
                      "mounted?)";
    }
    screen_ = name.data();
  }

  // Sends a key.
  void press(char key) const {
    ASSERT_EQ(::write(keyboard_.get(), &key, 1), 1);
  }
  void fill_screen() const {
    const Fd screen(
        ::open(screen_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    fill(screen.get());
  }
  // The command as first process of a session on this terminal; `streams` as
  // for redirected().
  Command in_session(const Command& command, const std::string& streams) const {
    return redirected(
        command.after({"setsid", "-c"}), "<" + screen_ + " " + streams);
  }

  Fd keyboard_;
  std::string screen_;
};

// Sends SIGTERM and expects a normal end: a checkpoint, no lock, no worker.
void expect_to_save_and_stop(
    Program& program,
    const std::filesystem::path& output) {
  const std::vector<pid_t> workers = program.workers();
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait(20).exit_code, 75);
  const auto run = newest_run(output);
  EXPECT_EQ(records(run, "checkpoint").size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(run / "run.lock"));
  for (const pid_t pid : workers) {
    EXPECT_NE(::kill(pid, 0), 0) << pid;
  }
}

TEST(Terminal, AReaderThatIsGoneEndsNothing) {
  for (const char* streams : {"2>", ">/dev/null 2>", "2>&1 >"}) {
    const TempFolder folder;
    NamedPipe pipe;
    const Command command =
        redirected(endless(folder / "runs"), streams + pipe.path().native());
    Program program(command);
    training_workers(program, folder / "runs", 2);
    pipe.reader.reset();
    expect_to_save_and_stop(program, folder / "runs");
  }
}

TEST(Terminal, AReaderThatIsGoneDoesNotEndRestarts) {
  const TempFolder folder;
  NamedPipe pipe;
  const Options options{
      .set = {"checkpoint.every=50st"}, .more = {"-max_restarts", "2"}};
  Program program(redirected(
      endless(folder / "runs", options), ">" + pipe.path().native() + " 2>&1"));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "checkpoint", 1, 60));
  pipe.reader.reset();
  ::kill(program.workers().at(1), SIGKILL);
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "start", 2, 60));
  const auto run = newest_run(folder / "runs");
  EXPECT_EQ(records(run, "start").back().at("restarts"), 1);
  program.signal(SIGTERM);
  program.wait(30);
}

TEST(Terminal, AStalledReaderIsNotWaitedFor) {
  for (const char* ranks : {"main", "all"}) {
    const TempFolder folder;
    NamedPipe pipe;
    pipe.fill_up();
    Program program(redirected(
        endless(folder / "runs", {.set = {fmt::format("log.ranks={}", ranks)}}),
        ">" + pipe.path().native() + " 2>&1"));
    ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 300, 60));
    expect_to_save_and_stop(program, folder / "runs");
  }
}

TEST(Terminal, AStalledReaderDoesNotKeepAFailedRun) {
  const TempFolder folder;
  NamedPipe pipe;
  pipe.fill_up();
  Program program(redirected(
      endless(folder / "runs"), ">" + pipe.path().native() + " 2>&1"));
  const auto workers = training_workers(program, folder / "runs", 2);
  ::kill(workers.at(1), SIGKILL);
  EXPECT_EQ(program.wait(20).exit_code, 7);
  EXPECT_FALSE(
      std::filesystem::exists(newest_run(folder / "runs") / "run.lock"));
}

TEST(Terminal, AReaderThatIsBackLearnsHowMuchItMissed) {
  const TempFolder folder;
  NamedPipe pipe;
  pipe.fill_up();
  Program program(redirected(
      endless(folder / "runs", {.set = {"log.ranks=all"}}),
      ">" + pipe.path().native()));
  ASSERT_TRUE(program.wait_for_record(folder / "runs", "train", 1500, 120));
  std::string shown;
  for (int i = 0; i < 500 && shown.find(" dropped") == shown.npos; ++i) {
    shown += read_ready(pipe.reader.get());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_THAT(shown, HasSubstr("dropped: its reader is too slow\n"));
  EXPECT_THAT(shown, HasSubstr("[rank 1] "));
  expect_to_save_and_stop(program, folder / "runs");
}

TEST_F(OnATerminal, APausedOneIsNotWaitedFor) {
  for (const bool key : {false, true}) {
    const TempFolder folder;
    Program program(in_session(
        endless(folder / "runs", {.set = {"log.ranks=all"}}),
        ">" + screen_ + " 2>&1"));
    training_workers(program, folder / "runs", 2);
    if (key) {
      press('\x13'); // Ctrl-S
    } else {
      fill_screen();
    }
    const auto seen = records(newest_run(folder / "runs"), "train").size();
    ASSERT_TRUE(program.wait_for_record(
        folder / "runs", "train", static_cast<int>(seen) + 300, 60));
    expect_to_save_and_stop(program, folder / "runs");
    press('\x11');
    read_ready(keyboard_.get());
  }
}

// `stty tostop` stops processes in the background that write.
TEST_F(OnATerminal, WritingFromTheBackgroundStopsNothing) {
  const TempFolder folder;
  const std::string script = fmt::format(
      "stty tostop; set -m; \"$@\" & echo $! >{0}/pid; wait $!; exit $?",
      folder.path().native());
  Program shell(in_session(
      endless(folder / "runs").after({"sh", "-c", script, "sh"}),
      ">" + screen_ + " 2>&1"));
  ASSERT_TRUE(shell.wait_for_record(folder / "runs", "train", 3, 60));
  ::kill(std::stoi(slurp(folder / "pid")), SIGTERM);
  EXPECT_EQ(shell.wait(20).exit_code, 75);
  EXPECT_EQ(records(newest_run(folder / "runs"), "checkpoint").size(), 1u);
}

TEST_F(OnATerminal, ThatClosesMakesTheRunSaveAndStop) {
  const TempFolder folder;
  Program program(
      in_session(endless(folder / "runs"), ">" + screen_ + " 2>&1"));
  training_workers(program, folder / "runs", 2);
  keyboard_.reset();
  EXPECT_EQ(program.wait(20).exit_code, 75);
  EXPECT_EQ(records(newest_run(folder / "runs"), "checkpoint").size(), 1u);
}

TEST_F(OnATerminal, ThatClosesDoesNotEndWhatNohupStarted) {
  const TempFolder folder;
  Program program(in_session(
      endless(folder / "runs").after({"nohup"}),
      ">" + (folder / "out").native() + " 2>&1"));
  training_workers(program, folder / "runs", 2);
  keyboard_.reset();
  const auto seen = records(newest_run(folder / "runs"), "train").size();
  EXPECT_TRUE(program.wait_for_record(
      folder / "runs", "train", static_cast<int>(seen) + 300, 60));
  expect_to_save_and_stop(program, folder / "runs");
}

// A script starts a run in its background and shows the log by `tail -f`, which
// Ctrl-C ends.
TEST_F(OnATerminal, CtrlCDoesNotEndTheBackgroundOfAScript) {
  const TempFolder folder;
  const std::string script = fmt::format(
      "trap : INT; \"$@\" >{0}/out 2>&1 & pid=$!; echo $pid >{0}/pid; "
      "tail -f {0}/out; touch {0}/tail-ended; wait $pid; code=$?; "
      // The signal may interrupt wait as well.
      "if [ $code = 130 ]; then wait $pid; code=$?; fi; exit $code",
      folder.path().native());
  Program shell(in_session(
      endless(folder / "runs").after({"sh", "-c", script, "sh"}),
      ">" + screen_ + " 2>&1"));
  ASSERT_TRUE(shell.wait_for_record(folder / "runs", "train", 3, 60));
  press('\x03');
  for (int i = 0; i < 500 && !std::filesystem::exists(folder / "tail-ended");
       ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ASSERT_TRUE(std::filesystem::exists(folder / "tail-ended"));
  const auto seen = records(newest_run(folder / "runs"), "train").size();
  EXPECT_TRUE(shell.wait_for_record(
      folder / "runs", "train", static_cast<int>(seen) + 300, 60));
  ::kill(std::stoi(slurp(folder / "pid")), SIGTERM);
  EXPECT_EQ(shell.wait(20).exit_code, 75) << slurp(folder / "out");
  EXPECT_EQ(records(newest_run(folder / "runs"), "checkpoint").size(), 1u);
}

} // namespace
} // namespace vitrain::e2e
