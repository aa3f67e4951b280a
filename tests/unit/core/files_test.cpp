#include "core/system/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include "core/system/new_file.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      all.push_back(entry.path().filename());
    }
    return all;
  }

  TempFolder temp_;
  const std::filesystem::path folder_ = temp_.path();
};

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST_F(Files, ReadsTheWholeFileUpToTheLimit) {
  const auto path = folder_ / "f";
  std::string bytes(100'001, 'x');
  bytes[17] = '\0';
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(read_file(path, bytes.size(), ExitCode::kData), bytes);
  EXPECT_EQ(
      error_of(
          ExitCode::kData,
          [&] { read_file(path, bytes.size() - 1, ExitCode::kData); }),
      path.string() + ": 97.7 KiB is more than the limit of 97.7 KiB");
  std::ofstream(folder_ / "empty").flush();
  EXPECT_EQ(read_file(folder_ / "empty", 0, ExitCode::kData), "");
}

TEST_F(Files, RefusesWhatIsNoRegularFile) {
  const auto read = [](const std::filesystem::path& path) {
    return error_of(
        ExitCode::kUsage, [&] { read_file(path, 100, ExitCode::kUsage); });
  };
  expect_message(read(folder_ / "no"), {});
  expect_message(read(folder_), {});
  expect_message(read("/dev/zero"), {});
  // Without a writer, opening a FIFO the plain way would hang.
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  expect_message(read(folder_ / "fifo"), {});
  std::filesystem::create_symlink("loop", folder_ / "loop");
  expect_message(read(folder_ / "loop"), {});
}

TEST_F(Files, NamesInMessagesArePrintable) {
  EXPECT_THAT(
      error_of(
          ExitCode::kData,
          [&] { read_file(folder_ / "a\nb\x1b", 1, ExitCode::kData); }),
      HasSubstr("a\\x0ab\\x1b: No such file"));
}

TEST_F(Files, WritesAtomicallyAndLeavesNoTemporaryFile) {
  const auto path = folder_ / "f";
  write_file_atomically(path, "first");
  EXPECT_EQ(read_file(path, 100, ExitCode::kData), "first");
  const std::string large(3'000'001, 'y');
  write_file_atomically(path, large);
  EXPECT_EQ(read_file(path, large.size(), ExitCode::kData), large);
  write_file_atomically(path, "");
  EXPECT_EQ(read_file(path, 100, ExitCode::kData), "");
  EXPECT_THAT(names(), ElementsAre("f"));
}

TEST_F(Files, AReaderKeepsTheOldContent) {
  const auto path = folder_ / "f";
  write_file_atomically(path, "old");
  std::ifstream reader(path);
  write_file_atomically(path, "new");
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
}

TEST_F(Files, AWriteThatFailsLeavesTheOldContentAndNoTemporaryFile) {
  const auto path = folder_ / "f";
  write_file_atomically(path, "old");
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const std::string message = error_of(ExitCode::kStorage, [&] {
    write_file_atomically(path, std::string(5000, 'x'));
  });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, path.string() + ": cannot write: File too large");
  EXPECT_EQ(read_file(path, 100, ExitCode::kData), "old");
  EXPECT_THAT(names(), ElementsAre("f"));
}

TEST_F(Files, AtomicWriteNeedsAFolderAndAFreeName) {
  expect_message(
      error_of(
          ExitCode::kStorage,
          [&] { write_file_atomically(folder_ / "no/f", "x"); }),
      {});
  std::filesystem::create_directories(folder_ / "taken");
  expect_message(
      error_of(
          ExitCode::kStorage,
          [&] { write_file_atomically(folder_ / "taken", "x"); }),
      {});
  EXPECT_THAT(names(), ElementsAre("taken"));
}

TEST_F(Files, PartsHaveNamesThatNobodyHas) {
  std::filesystem::path one;
  std::filesystem::path other;
  EXPECT_TRUE(create_part(folder_ / "f", one));
  EXPECT_TRUE(create_part(folder_ / "f", other));
  EXPECT_NE(one, other);
  EXPECT_THAT(one.native(), HasSubstr((folder_ / "f.part-").native()));
  EXPECT_FALSE(create_part(folder_ / "no/f", one));
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(Files, ANewFileIsNamedInErrorsAndLeavesOtherPartsAlone) {
  temp_.write("f.part", "somebody's");
  const auto write = [](int fd) { return write_all(fd, "new", 3); };
  write_new_file(folder_ / "f", write);
  EXPECT_EQ(slurp(folder_ / "f"), "new");
  EXPECT_EQ(slurp(folder_ / "f.part"), "somebody's");
  EXPECT_THAT(names(), ::testing::UnorderedElementsAre("f", "f.part"));
  expect_message(
      error_of(
          ExitCode::kStorage, [&] { write_new_file(folder_ / "no/f", write); }),
      {});
}

TEST_F(Files, MakesFoldersOnceAndTwice) {
  make_folders(folder_ / "a/b/c");
  make_folders(folder_ / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "a/b/c"));
  std::ofstream(folder_ / "file") << "x";
  expect_message(
      error_of(ExitCode::kStorage, [&] { make_folders(folder_ / "file"); }),
      {});
  expect_message(
      error_of(
          ExitCode::kStorage, [&] { make_folders(folder_ / "file/below"); }),
      {});
}

TEST_F(Files, SyncingNeedsAFolder) {
  sync_folder(folder_);
  EXPECT_NE(
      error_of(ExitCode::kStorage, [&] { sync_folder(folder_ / "no"); }), "");
  std::ofstream(folder_ / "file") << "x";
  EXPECT_NE(
      error_of(ExitCode::kStorage, [&] { sync_folder(folder_ / "file"); }), "");
}

TEST(Fd, OwnsItsDescriptor) {
  int number = -1;
  {
    const Fd fd(::open("/dev/null", O_RDONLY));
    number = fd.get();
    ASSERT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
  EXPECT_FALSE(Fd());
}

TEST(Fd, MovesLeaveOneOwner) {
  Fd first(::open("/dev/null", O_RDONLY));
  const int number = first.get();
  Fd second(std::move(first));
  EXPECT_FALSE(first);
  EXPECT_EQ(second.get(), number);
  Fd third(::open("/dev/null", O_RDONLY));
  const int closed = third.get();
  third = std::move(second);
  EXPECT_EQ(third.get(), number);
  EXPECT_TRUE(is_open(number));
  EXPECT_FALSE(is_open(closed));
  Fd& same = third;
  third = std::move(same);
  EXPECT_TRUE(is_open(number));
  EXPECT_EQ(third.release(), number);
  EXPECT_FALSE(third);
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

TEST(WriteAll, SaysWhyItFailed) {
  const Fd full(::open("/dev/full", O_WRONLY));
  EXPECT_EQ(write_all(full.get(), "x", 1), ENOSPC);
  EXPECT_EQ(write_all(full.get(), "x", 0), 0);
  EXPECT_EQ(write_all(-1, "x", 1), EBADF);
}

TEST(ExecutablePath, IsThisTest) {
  EXPECT_EQ(executable_path().filename(), "unit_core");
  EXPECT_EQ(program_path(), executable_path());
}

} // namespace
} // namespace vitrain
