#include "launch/supervise/worker_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "core/system/clock.h"
#include "support/files.h"

namespace vitrain::launch {
namespace {

std::string read_all(int fd) {
  std::string all;
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while ((got = ::read(fd, part.data(), part.size())) > 0) {
    all.append(part.data(), static_cast<std::size_t>(got));
  }
  return all;
}

TEST(LogTee, AStalledReaderDoesNotHoldItUp) {
  const TempFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  const Fd writer(ends[1]);
  ::fcntl(reader.get(), F_SETFL, O_NONBLOCK);
  logging::StreamOutput output(writer.get());
  LogTee tee(output);
  const auto log = folder.write("workerlog.0");
  tee.add(0, log, 0);
  const Stopwatch watch;
  for (int i = 0; i < 100; ++i) {
    std::ofstream(log, std::ios::app) << std::string(9999, 'x') << "\n";
    tee.copy(/*last=*/false);
  }
  EXPECT_LT(watch.seconds(), 2.0);
  EXPECT_GT(output.dropped(), 0);
  // Lines that come after the reader is back are shown.
  std::string shown = read_all(reader.get());
  for (int i = 0; i < 100; ++i) {
    output.flush();
    shown += read_all(reader.get());
  }
  std::ofstream(log, std::ios::app) << "last words";
  tee.copy(/*last=*/true);
  shown += read_all(reader.get());
  EXPECT_TRUE(shown.ends_with("[rank 0] last words\n"));
  std::int64_t lines = 0;
  for (std::size_t at = shown.find("[rank 0] x"); at != std::string::npos;
       at = shown.find("[rank 0] x", at + 1)) {
    ++lines;
  }
  EXPECT_EQ(lines + output.dropped(), 100);
}

} // namespace
} // namespace vitrain::launch
