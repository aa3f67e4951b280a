#include "launch/devices/open_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

#include "core/check.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain::launch {
namespace {

// In a child with these limits: the soft one afterwards, or 1 for Error(kUsage)
// that names the hard one.
int limit_after(rlim_t soft, rlim_t hard, const OpenFiles& files) {
  const pid_t child = ::fork();
  if (child == 0) {
    rlimit limit{.rlim_cur = soft, .rlim_max = hard};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    try {
      provide_open_files(files);
      ::getrlimit(RLIMIT_NOFILE, &limit);
      ::_exit(static_cast<int>(limit.rlim_cur));
    } catch (const Error& error) {
      const std::string_view text = error.what();
      const bool readable = error.code() == ExitCode::kUsage &&
          text.find("40 are allowed") != text.npos &&
          text.find("8 workers need 56") != text.npos &&
          text.find('\n') == text.npos;
      ::_exit(readable ? 1 : 2);
    }
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WEXITSTATUS(status);
}

TEST(Tasks, MustBeAllowedByTheControlGroupAndItsParents) {
  TempFolder root;
  root.write("proc/self/cgroup", "0::/a/b\n");
  root.write("sys/fs/cgroup/a/b/pids.max", "max\n");
  root.write("sys/fs/cgroup/a/b/pids.current", "9\n");
  root.write("sys/fs/cgroup/a/pids.max", "40\n");
  root.write("sys/fs/cgroup/a/pids.current", "20\n");
  const Cgroup cgroup(root.path());
  check_tasks(cgroup, 2, {.compute = 1, .loading = 2}); // 20
  expect_message(
      error_of(
          ExitCode::kUsage,
          [&] { check_tasks(cgroup, 2, {.compute = 2, .loading = 2}); }),
      {"22", "20", "pids.max", "40"});
  EXPECT_FALSE(Cgroup(root.path() / "none").tasks().has_value());
  root.write("proc/self/cgroup", "8:pids:/c\n");
  root.write("sys/fs/cgroup/pids/c/pids.max", "16\n");
  root.write("sys/fs/cgroup/pids/c/pids.current", "18\n");
  EXPECT_EQ(Cgroup(root.path()).tasks().value().left, 0);
}

TEST(OpenFiles, TheLimitIsRaisedToWhatItMayBe) {
  EXPECT_EQ(limit_after(30, 200, {.workers = 8}), 200);
  EXPECT_EQ(limit_after(30, 56, {.workers = 8}), 56);
}

TEST(OpenFiles, TooFewAreToldBeforeTheStart) {
  EXPECT_EQ(limit_after(40, 40, {.workers = 8}), 1);
  EXPECT_EQ(limit_after(30, 40, {.workers = 8}), 1);
}

TEST(OpenFiles, ServersNeedMore) {
  EXPECT_GT(
      (OpenFiles{.workers = 8, .servers = true}.need()),
      (OpenFiles{.workers = 8}.need()));
}

} // namespace
} // namespace vitrain::launch
