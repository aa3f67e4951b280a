#include "logging/console.h"

#include <map>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/system/clock.h"
#include "core/text.h"
#include "support.h"

namespace vitrain::logging {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using ConsoleTest = OnATerminal;

// A console with a log file and a terminal under a fixed environment.
struct Desk {
  explicit Desk(int columns = 80, const char* no_color = nullptr)
      : no_color_variable("NO_COLOR", no_color), terminal(columns) {}

  ConsoleOptions options() const {
    return {.log_fd = log.get(), .terminal_fd = terminal.screen.get()};
  }
  std::string file() const { return slurp(folder / "log"); }

  TempFolder folder;
  Fd log = open_for_append(folder / "log");
  ScopedVariable term{"TERM", "xterm-256color"};
  ScopedVariable locale{"LC_ALL", "en_US.UTF-8"};
  ScopedVariable no_color_variable;
  Terminal terminal;
};

TEST_F(ConsoleTest, WritesWholeLinesToBoth) {
  Desk desk;
  Console console(desk.options());
  console.info("one");
  console.info("two\nthree\n");
  console.info("");
  console.log("only the file");
  EXPECT_EQ(desk.file(), "one\ntwo\nthree\n\nonly the file\n");
  EXPECT_EQ(desk.terminal.text(), "one\ntwo\nthree\n\n");
  EXPECT_EQ(console.dropped(), 0);
  EXPECT_EQ(console.problem(), "");
}

TEST_F(ConsoleTest, ColoursOnlyTheTerminal) {
  Desk desk;
  Console console(desk.options());
  console.warn("careful");
  console.error("broken");
  EXPECT_EQ(desk.file(), "warning: careful\nerror: broken\n");
  EXPECT_EQ(
      desk.terminal.text(),
      "\x1b[33mwarning: \x1b[0mcareful\n\x1b[1;31merror: \x1b[0mbroken\n");
}

TEST_F(ConsoleTest, NoColorIsHonoured) {
  Desk desk(80, "1");
  Console console(desk.options());
  console.warn("careful");
  EXPECT_EQ(desk.terminal.text(), "warning: careful\n");
  EXPECT_TRUE(console.is_live());
  EXPECT_FALSE(console.style().colour);
  EXPECT_TRUE(console.style().unicode);
}

TEST_F(ConsoleTest, AnEmptyNoColorMeansNothing) {
  Desk desk(80, "");
  EXPECT_TRUE(Console(desk.options()).style().colour);
}

TEST_F(ConsoleTest, ADumbTerminalGetsPlainText) {
  Desk desk;
  const ScopedVariable dumb("TERM", "dumb");
  Console console(desk.options());
  EXPECT_FALSE(console.is_live());
  console.live("never seen");
  console.warn("careful");
  EXPECT_EQ(desk.terminal.text(), "warning: careful\n");
}

TEST_F(ConsoleTest, PlainIsPlainOnATerminalToo) {
  Desk desk;
  ConsoleOptions options = desk.options();
  options.plain = true;
  Console console(options);
  console.warn("careful");
  console.live("line");
  EXPECT_FALSE(console.is_live());
  EXPECT_EQ(desk.terminal.text(), "warning: careful\n");
}

TEST_F(ConsoleTest, AsksTheTerminalForItsWidth) {
  Desk desk(133);
  Console console(desk.options());
  EXPECT_EQ(console.style().columns, 133);
  winsize size{};
  size.ws_col = 61;
  ::ioctl(desk.terminal.keyboard.get(), TIOCSWINSZ, &size);
  EXPECT_EQ(console.style().columns, 61);
}

TEST_F(ConsoleTest, TheLiveLineStaysBelowAndOutOfFiles) {
  Desk desk(30);
  {
    Console console(desk.options());
    console.live("working 1");
    EXPECT_EQ(desk.terminal.text(), "\rworking 1\x1b[K");
    console.live("working 1"); // unchanged: nothing to write
    EXPECT_EQ(desk.terminal.text(), "");
    console.info("a line");
    EXPECT_EQ(desk.terminal.text(), "\r\x1b[Ka line\nworking 1");
    console.live(std::string(100, 'x'));
    EXPECT_EQ(desk.terminal.text(), "\r" + std::string(29, 'x') + "\x1b[K");
  }
  EXPECT_EQ(desk.terminal.text(), "\r\x1b[K");
  EXPECT_EQ(desk.file(), "a line\n");
}

TEST_F(ConsoleTest, NeitherCarriageReturnsNorEscapesReachAPipe) {
  const ScopedVariable term("TERM", "xterm");
  const ScopedVariable no_color("NO_COLOR", nullptr);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  {
    Console console({.log_fd = -1, .terminal_fd = writer.get()});
    console.live("never seen");
    console.warn("careful");
    console.print([](const TerminalStyle& style) {
      return tinted("title", Tint::kTitle, style);
    });
  }
  writer.reset();
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(reader.get(), bytes.data(), bytes.size());
  ASSERT_GT(got, 0);
  EXPECT_EQ(
      std::string(bytes.data(), static_cast<std::size_t>(got)),
      "warning: careful\ntitle\n");
}

TEST_F(ConsoleTest, HostileTextCannotForgeLinesOrMoveTheCursor) {
  Desk desk;
  Console console(desk.options());
  console.info("name \x1b[2J\r\x07 \xff end");
  EXPECT_EQ(desk.file(), "name \\x1b[2J\\x0d\\x07 \\xff end\n");
  EXPECT_THAT(desk.terminal.text(), Not(HasSubstr("\x1b")));
}

TEST_F(ConsoleTest, PrintRendersForEachReader) {
  Desk desk(44);
  Console console(desk.options());
  std::vector<TerminalStyle> looks;
  console.print([&](const TerminalStyle& style) {
    looks.push_back(style);
    return tinted("title", Tint::kTitle, style);
  });
  ASSERT_EQ(looks.size(), 2u);
  EXPECT_FALSE(looks[0].colour);
  EXPECT_EQ(looks[1].columns, 44);
  EXPECT_EQ(desk.file(), "title\n");
  EXPECT_EQ(desk.terminal.text(), "\x1b[1mtitle\x1b[0m\n");
}

TEST_F(ConsoleTest, CountsWhatAFullDiskLoses) {
  Desk desk;
  const Fd full(::open("/dev/full", O_WRONLY));
  Console console(
      {.log_fd = full.get(), .terminal_fd = desk.terminal.screen.get()});
  console.info("one");
  console.info("two");
  EXPECT_EQ(desk.terminal.text(), "one\ntwo\n");
  EXPECT_EQ(console.dropped(), 2);
  EXPECT_EQ(
      console.problem(),
      "2 lines to the log file dropped: No space left on device");
}

TEST_F(ConsoleTest, AClosedTerminalDoesNotStopTheRun) {
  const Ignored hangup(SIGHUP);
  Desk desk;
  Console console(desk.options());
  desk.terminal.keyboard.reset();
  for (int i = 0; i < 3; ++i) {
    console.info("line");
    console.live(fmt::format("live {}", i));
  }
  EXPECT_EQ(desk.file(), "line\nline\nline\n");
  EXPECT_GT(console.dropped(), 0);
}

TEST_F(ConsoleTest, ATerminalThatIsNotReadDoesNotStallTheRun) {
  Desk desk;
  Console console(desk.options());
  const Stopwatch watch;
  for (int i = 0; i < 5000; ++i) {
    console.info(std::string(100, 'x'));
    console.live(fmt::format("live {}", i));
  }
  // A wait for every queued line would take more than a minute.
  EXPECT_LT(watch.seconds(), 10.0);
  EXPECT_EQ(desk.file().size(), 5000u * 101u);
  EXPECT_GT(console.dropped(), 0);
  EXPECT_THAT(console.problem(), HasSubstr("its reader is too slow"));
}

TEST_F(ConsoleTest, ThreadsDoNotMixTheirLines) {
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  Desk desk;
  Console console(desk.options());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kLines; ++i) {
        console.warn(fmt::format("thread {} says {}", t, i));
        console.live(fmt::format("live {}", i));
        console.print([](const TerminalStyle&) { return "block\nof two"; });
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::map<std::string, int> counts;
  const std::vector<std::string> lines = split(desk.file(), '\n');
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    ++counts[lines[i]];
    if (lines[i] == "block") {
      EXPECT_EQ(lines[i + 1], "of two");
    }
  }
  EXPECT_EQ(counts["block"], kThreads * kLines);
  EXPECT_EQ(counts["of two"], kThreads * kLines);
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < kLines; ++i) {
      EXPECT_EQ(counts[fmt::format("warning: thread {} says {}", t, i)], 1);
    }
  }
}

TEST_F(ConsoleTest, FindsTheTerminalInTheEnvironment) {
  {
    const ScopedVariable none("VITRAIN_TERMINAL_FD", nullptr);
    EXPECT_EQ(console_options_from_environment().terminal_fd, -1);
  }
  for (const char* wrong : {"", "x", "-1", "987654", "99999999999999999999"}) {
    const ScopedVariable bad("VITRAIN_TERMINAL_FD", wrong);
    EXPECT_EQ(console_options_from_environment().terminal_fd, -1) << wrong;
  }
  const Fd fd(::open("/dev/null", O_WRONLY));
  const ScopedVariable good(
      "VITRAIN_TERMINAL_FD", fmt::format("{}", fd.get()).c_str());
  const ConsoleOptions options = console_options_from_environment();
  EXPECT_EQ(options.terminal_fd, fd.get());
  EXPECT_EQ(options.log_fd, 1);
  EXPECT_EQ(::fcntl(fd.get(), F_GETFD), FD_CLOEXEC);
}

} // namespace
} // namespace vitrain::logging
