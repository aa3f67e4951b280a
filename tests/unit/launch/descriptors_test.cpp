#include "launch/processes/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/processes/rendezvous.h"

namespace vitrain::launch {
namespace {

TEST(Memfd, HoldsBytesThatNobodyCanChange) {
  const std::string bytes("a\0b\n", 4);
  const Fd fd = make_memfd("test", bytes);
  EXPECT_GT(fd.get(), 2);
  EXPECT_NE(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(::pwrite(fd.get(), "x", 1, 0), -1);
  EXPECT_EQ(::ftruncate(fd.get(), 0), -1);
  EXPECT_EQ(::ftruncate(fd.get(), 100), -1);
  EXPECT_EQ(Mapping(fd.get()).bytes(), bytes);
}

TEST(Memfd, EmptyAndLarge) {
  EXPECT_EQ(Mapping(make_memfd("empty", "").get()).bytes(), "");
  const std::string large(5'000'001, 'v');
  EXPECT_EQ(Mapping(make_memfd("large", large).get()).bytes(), large);
}

TEST(Mapping, OutlivesItsDescriptorAndMoves) {
  Mapping first(make_memfd("first", "one").get());
  Mapping second(make_memfd("second", "two").get());
  second = std::move(first);
  EXPECT_EQ(second.bytes(), "one");
  const Mapping third(std::move(second));
  EXPECT_EQ(third.bytes(), "one");
}

TEST(Mapping, RefusesWhatIsNotAFile) {
  EXPECT_THROW(Mapping(-1), Error);
}

TEST(SharedMemory, IsSeenByAllAndCannotShrink) {
  const Fd fd = make_shared_memory("shared", 8192);
  EXPECT_EQ(::ftruncate(fd.get(), 0), -1);
  auto* bytes = static_cast<volatile char*>(
      ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0));
  const pid_t child = ::fork();
  if (child == 0) {
    bytes[8191] = 'c';
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[8191], 'c');
  ::munmap(const_cast<char*>(bytes), 8192);
}

TEST(Descriptors, StandardStreamsAreFilledAndAvoided) {
  // In a child, since this closes its standard streams.
  const pid_t child = ::fork();
  if (child == 0) {
    for (int fd = 0; fd <= 2; ++fd) {
      ::close(fd);
    }
    const Fd memory = make_memfd("low", "x");
    const Fd copy = duplicate_or_null(1);
    if (memory.get() <= 2 || copy.get() <= 2) {
      ::_exit(1);
    }
    open_missing_standard_streams();
    for (int fd = 0; fd <= 2; ++fd) {
      char byte = 0;
      if (::fcntl(fd, F_GETFD) == -1 || ::read(fd, &byte, 1) != 0 ||
          ::write(fd, "x", 1) != -1) { // lost output is not written
        ::_exit(2);
      }
    }
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Descriptors, CloseOnExecIsSetAndCleared) {
  const Fd fd = make_memfd("flag", "");
  set_close_on_exec(fd.get(), false);
  EXPECT_EQ(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, 0);
  set_close_on_exec(fd.get(), true);
  EXPECT_NE(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_THROW(set_close_on_exec(-1, true), Error);
}

TEST(ListeningSocket, PortsDifferAndAreReal) {
  const ListeningSocket first = listen_on_loopback();
  const ListeningSocket second = listen_on_loopback();
  EXPECT_GT(first.port, 0);
  EXPECT_NE(first.port, second.port);
  EXPECT_GT(first.socket.get(), 2);
}

} // namespace
} // namespace vitrain::launch
