#include "logging/stream_output.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <thread>

#include "core/system/clock.h"
#include "core/text.h"
#include "support.h"

namespace vitrain::logging {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// Reads the bytes that are ready, without waiting.
std::string read_ready(int fd) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  std::string all;
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while ((got = ::read(fd, part.data(), part.size())) > 0) {
    all.append(part.data(), static_cast<std::size_t>(got));
  }
  return all;
}

struct PipeEnds {
  PipeEnds() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    read = Fd(ends[0]);
    write = Fd(ends[1]);
  }
  Fd read;
  Fd write;
};

// Writes numbered lines until some do not fit any more; returns how many it
// wrote.
int overfill(StreamOutput& output) {
  int lines = 0;
  while (output.dropped() < 3) {
    output.write(fmt::format("line {:>990}\n", ++lines));
  }
  return lines;
}

// Checks that the lines are whole and in order, and that notes count the
// missing ones.
void expect_all_accounted_for(const std::string& text, int written) {
  std::int64_t seen = 0;
  std::int64_t dropped = 0;
  std::int64_t last = 0;
  for (const std::string& line : split(text, '\n')) {
    std::int64_t number = 0;
    if (line.starts_with("line ")) {
      ASSERT_TRUE(parse_int(trim(line.substr(5)), number)) << line;
      EXPECT_GT(number, last);
      last = number;
      ++seen;
    } else if (!line.empty()) {
      ASSERT_TRUE(parse_int(line.substr(0, line.find(' ')), number)) << line;
      EXPECT_THAT(line, HasSubstr("dropped"));
      dropped += number;
    }
  }
  EXPECT_EQ(seen + dropped, written);
}

TEST(StreamOutput, AStalledReaderIsNotWaitedFor) {
  PipeEnds pipe;
  std::optional<StreamOutput> output(pipe.write.get());
  const Stopwatch watch;
  const int lines = overfill(*output);
  EXPECT_LT(watch.seconds(), 1.0);
  EXPECT_EQ(output->dropped(), 3);
  // The end does wait, but not for long.
  const Stopwatch end;
  output.reset();
  EXPECT_LT(end.seconds(), StreamOutput::kLastWait + 1.0);
  EXPECT_GT(lines, 100);
}

// Writes one text of a thousand lines, 1 MB, to a reader that pauses for
// `pause` microseconds after each `piece` bytes. Returns the number of dropped
// lines, and in `seconds` the duration of the write.
std::int64_t dropped_by(std::size_t piece, useconds_t pause, double& seconds) {
  std::string text;
  for (int i = 1; i <= 1000; ++i) {
    text += fmt::format("line {:>990}\n", i);
  }
  PipeEnds pipe;
  std::optional<StreamOutput> output(pipe.write.get());
  pipe.write.reset();
  std::thread reader([&] {
    std::string part(piece, '\0');
    while (::read(pipe.read.get(), part.data(), part.size()) > 0) {
      ::usleep(pause);
    }
  });
  const Stopwatch watch;
  output->write(text);
  seconds = watch.seconds();
  const std::int64_t dropped = output->dropped();
  output.reset();
  reader.join();
  return dropped;
}

// A busy machine may pause the reader for longer than RecordSink::kPatience,
// but not each time.
TEST(StreamOutput, AReaderThatKeepsUpGetsEverything) {
  double seconds = 0.0;
  std::int64_t dropped = 1;
  for (int i = 0; i < 10 && dropped > 0; ++i) {
    dropped = dropped_by(/*piece=*/1 << 16, /*pause=*/1000, seconds);
  }
  EXPECT_EQ(dropped, 0);
}

// Waiting for each line would take 5 s.
TEST(StreamOutput, ASlowReaderIsWaitedForOncePerText) {
  const Ignored broken_pipe(SIGPIPE);
  double seconds = 0.0;
  EXPECT_GT(dropped_by(/*piece=*/1 << 12, /*pause=*/20'000, seconds), 100);
  EXPECT_LT(seconds, 10.0 * RecordSink::kPatience);
}

TEST(StreamOutput, AReaderThatIsBackLearnsWhatItMissed) {
  PipeEnds pipe;
  StreamOutput output(pipe.write.get());
  int lines = overfill(output);
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += read_ready(pipe.read.get());
    output.flush();
  }
  text += read_ready(pipe.read.get());
  EXPECT_THAT(
      text,
      EndsWith("3 lines of this output dropped: its reader is "
               "too slow\n"));
  expect_all_accounted_for(text, lines);
  // Each dropped line is counted in one note.
  output.write(fmt::format("line {}\n", ++lines));
  text += read_ready(pipe.read.get());
  expect_all_accounted_for(text, lines);
  EXPECT_EQ(output.dropped(), 3);
}

// Without a call of flush().
TEST(StreamOutput, WritingAloneFindsOutThatTheReaderIsBack) {
  PipeEnds pipe;
  StreamOutput output(pipe.write.get());
  int lines = overfill(output);
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += read_ready(pipe.read.get());
    output.write(fmt::format("line {}\n", ++lines));
  }
  text += read_ready(pipe.read.get());
  expect_all_accounted_for(text, lines);
}

TEST(StreamOutput, AReaderThatIsGoneCostsTheLines) {
  const Ignored broken_pipe(SIGPIPE);
  PipeEnds pipe;
  StreamOutput output(pipe.write.get());
  pipe.read.reset();
  output.write("one\ntwo\n");
  for (int i = 0; i < 5; ++i) {
    output.flush();
  }
  EXPECT_EQ(output.dropped(), 2);
}

TEST(StreamOutput, WithoutADescriptorLinesAreDropped) {
  StreamOutput output(-1);
  output.write("one\n");
  EXPECT_EQ(output.dropped(), 1);
  EXPECT_FALSE(output.is_terminal());
}

TEST(StreamOutput, AFileGetsEverything) {
  const TempFolder folder;
  {
    const Fd file = open_for_append(folder / "log");
    StreamOutput output(file.get());
    output.write("one\ntwo");
    EXPECT_FALSE(output.is_terminal());
  }
  EXPECT_EQ(slurp(folder / "log"), "one\ntwo");
}

class StreamOutputOnATerminal : public OnATerminal {};

TEST_F(StreamOutputOnATerminal, APausedOneIsNotWaitedFor) {
  Terminal terminal(80);
  std::optional<StreamOutput> output(terminal.screen.get());
  EXPECT_TRUE(output->is_terminal());
  const Stopwatch watch;
  const int lines = overfill(*output);
  EXPECT_LT(watch.seconds(), 1.0);
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += terminal.text();
    output->flush();
  }
  text += terminal.text();
  expect_all_accounted_for(text, lines);
  // Ctrl-S at the keyboard.
  ASSERT_EQ(::write(terminal.keyboard.get(), "\x13", 1), 1);
  const Stopwatch paused;
  overfill(*output);
  output.reset();
  EXPECT_LT(paused.seconds(), StreamOutput::kLastWait + 2.0);
}

} // namespace
} // namespace vitrain::logging
