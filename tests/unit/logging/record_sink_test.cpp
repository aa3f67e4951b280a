#include "logging/record_sink.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>

#include "core/system/clock.h"
#include "support.h"

namespace vitrain::logging {
namespace {

std::string drain(int fd) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  std::string all;
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while ((got = ::read(fd, part.data(), part.size())) > 0) {
    all.append(part.data(), static_cast<std::size_t>(got));
  }
  return all;
}

TEST(RecordSink, AppendsToAFile) {
  const TempFolder folder;
  spill(folder / "log", "old\n");
  {
    RecordSink sink = RecordSink::open(folder / "log");
    EXPECT_TRUE(sink.write("one\n"));
    EXPECT_TRUE(sink.write(std::string(100'000, 'x') + "\n"));
    EXPECT_EQ(sink.dropped(), 0);
    EXPECT_EQ(sink.error(), "");
  }
  EXPECT_EQ(
      slurp(folder / "log"), "old\none\n" + std::string(100'000, 'x') + "\n");
}

TEST(RecordSink, CountsWhatItCannotOpen) {
  const TempFolder folder;
  RecordSink missing = RecordSink::open(folder / "no/such/file");
  EXPECT_FALSE(missing);
  EXPECT_FALSE(missing.write("a\n"));
  EXPECT_FALSE(missing.write("b\n"));
  EXPECT_EQ(missing.dropped(), 2);
  EXPECT_EQ(missing.error(), "No such file or directory");
  RecordSink is_folder = RecordSink::open(folder.path());
  EXPECT_FALSE(is_folder.write("a\n"));
  EXPECT_EQ(is_folder.error(), "Is a directory");
  RecordSink none;
  EXPECT_FALSE(none.write("a\n"));
  EXPECT_EQ(none.dropped(), 1);
}

TEST(RecordSink, DoesNotHangOnAFifoWithoutReader) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  RecordSink sink = RecordSink::open(folder / "fifo");
  EXPECT_FALSE(sink.write("a\n"));
  EXPECT_EQ(sink.error(), "No such device or address");
}

TEST(RecordSink, CountsAFullDevice) {
  RecordSink sink(Fd(::open("/dev/full", O_WRONLY)));
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(sink.write("line\n"));
  }
  EXPECT_EQ(sink.dropped(), 5);
  EXPECT_EQ(sink.error(), "No space left on device");
}

// A file size limit acts as a full disk: a short write, then errors.
TEST(RecordSink, CompletesATornRecordWhenThereIsRoomAgain) {
  const Ignored too_large(SIGXFSZ);
  const TempFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  {
    RecordSink sink = RecordSink::open(folder / "log");
    EXPECT_TRUE(sink.write("12345678\n"));
    rlimit tight = before;
    tight.rlim_cur = 12;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    sink.write("abcdefgh\n"); // three bytes fit, the rest is kept
    const bool third = sink.write("lost\n");
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_FALSE(third);
    EXPECT_EQ(slurp(folder / "log"), "12345678\nabc");
    EXPECT_TRUE(sink.write("more\n"));
    EXPECT_EQ(sink.dropped(), 1);
    EXPECT_EQ(sink.error(), "File too large");
  }
  EXPECT_EQ(slurp(folder / "log"), "12345678\nabcdefgh\nmore\n");
}

TEST(RecordSink, SurvivesAReaderThatLeft) {
  const Ignored broken_pipe(SIGPIPE);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  Fd reader(ends[0]);
  RecordSink sink((Fd(ends[1])));
  EXPECT_TRUE(sink.write("heard\n"));
  EXPECT_EQ(drain(reader.get()), "heard\n");
  reader.reset();
  EXPECT_FALSE(sink.write("not heard\n"));
  EXPECT_EQ(sink.error(), "Broken pipe");
  EXPECT_EQ(sink.dropped(), 1);
}

TEST(RecordSink, AStalledPipeCostsPatienceOnce) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Fd reader(ends[0]);
  RecordSink sink((Fd(ends[1])));
  const std::string line = std::string(999, 'x') + "\n";
  const Stopwatch watch;
  int accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    accepted += sink.write(line) ? 1 : 0;
  }
  // One wait. A wait for each of the 65 lines that are queued would take 6.5 s,
  // so the bound leaves room for a busy machine.
  EXPECT_LT(watch.seconds(), 3.0);
  EXPECT_EQ(accepted + sink.dropped(), 1000);
  EXPECT_GT(sink.dropped(), 0);
  EXPECT_FALSE(sink.flush());
  // All that was accepted arrives, whole and in order.
  std::string got;
  while (!sink.flush()) {
    got += drain(reader.get());
  }
  got += drain(reader.get());
  ASSERT_EQ(got.size(), static_cast<std::size_t>(accepted) * line.size());
  for (std::size_t at = 0; at < got.size(); at += line.size()) {
    ASSERT_EQ(got.compare(at, line.size(), line), 0) << at;
  }
}

TEST(RecordSink, LeavesTheCallersPipeBlocking) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Fd reader(ends[0]);
  const Fd writer(ends[1]);
  RecordSink sink(Fd(::dup(writer.get())));
  EXPECT_TRUE(sink.write("a\n"));
  EXPECT_EQ(::fcntl(writer.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(RecordSink, DoesNotBlockOnASocket) {
  const Ignored broken_pipe(SIGPIPE);
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  Fd reader(ends[0]);
  RecordSink sink((Fd(ends[1])));
  EXPECT_TRUE(sink.write("heard\n"));
  EXPECT_EQ(drain(reader.get()), "heard\n");
  const std::string line(10'000, 'x');
  for (int i = 0; i < 200; ++i) {
    sink.write(line);
  }
  EXPECT_GT(sink.dropped(), 0);
  reader.reset();
  EXPECT_FALSE(sink.write("not heard\n"));
}

} // namespace
} // namespace vitrain::logging
