#include "launch/processes/spawn.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/check.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/signals.h"
#include "support/errors.h"
#include "trial.h"

namespace vitrain::launch {
namespace {

using testing::HasSubstr;

// Runs a program through spawn() and returns its output.
std::string output_of(
    const std::vector<std::string>& command,
    Environment environment = {{"PATH", "/usr/bin:/bin"}},
    std::vector<int> inherited = {}) {
  TempFolder folder;
  const auto file = folder.path() / "output";
  const Fd output(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const pid_t pid = spawn(
      {.executable = command.front(),
       .arguments = command,
       .environment = std::move(environment),
       .output = output.get(),
       .inherited = std::move(inherited)});
  int status = -1;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  return slurp(file);
}

std::string shell_output(
    const std::string& command,
    Environment environment = {{"PATH", "/usr/bin:/bin"}},
    std::vector<int> inherited = {}) {
  return output_of(
      {"/bin/sh", "-c", command}, std::move(environment), std::move(inherited));
}

TEST(Spawn, PassesArgumentsAndEnvironmentOnly) {
  ::setenv("VITRAIN_TEST_LEAK", "1", 1);
  EXPECT_EQ(
      shell_output(
          "echo \"$A,$VITRAIN_TEST_LEAK\"; echo error >&2", {{"A", "x y"}}),
      "x y,\nerror\n");
  ::unsetenv("VITRAIN_TEST_LEAK");
}

TEST(Spawn, OnlyNamedDescriptorsAreInherited) {
  // Below 10, which is all that the shell's <& can name.
  const Fd wanted = make_memfd("wanted", "read me");
  ASSERT_LT(wanted.get(), 10);
  const Fd leak(::fcntl(wanted.get(), F_DUPFD, 20)); // without close-on-exec
  const std::string listing = shell_output(
      fmt::format(
          "for f in /proc/$$/fd/*; do echo ${{f##*/}}; done; cat <&{}",
          wanted.get()),
      {{"PATH", "/usr/bin:/bin"}},
      {wanted.get()});
  EXPECT_THAT(listing, HasSubstr("read me"));
  EXPECT_THAT(listing, HasSubstr(fmt::format("\n{}\n", wanted.get())));
  EXPECT_THAT(
      listing, testing::Not(HasSubstr(fmt::format("\n{}\n", leak.get()))));
  // The flag of the parent's own copy is as before.
  EXPECT_NE(::fcntl(wanted.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Spawn, StandardInputIsEmpty) {
  EXPECT_EQ(shell_output("cat; echo end"), "end\n");
}

TEST(Spawn, LeadsItsOwnGroup) {
  // pid (comm) state ppid pgrp
  std::istringstream stat(output_of({"/bin/cat", "/proc/self/stat"}));
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  std::string name;
  std::string state;
  stat >> pid >> name >> state >> parent >> group;
  EXPECT_EQ(parent, ::getpid());
  EXPECT_GT(pid, 0);
  EXPECT_EQ(group, pid);
}

TEST(Spawn, HandlersAreDefaultsAndStopSignalsWait) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGUSR2, &ignore, &before);
  const std::string status = output_of({"/bin/cat", "/proc/self/status"});
  ::sigaction(SIGUSR2, &before, nullptr);
  EXPECT_THAT(status, HasSubstr("SigIgn:\t0000000000000000"));
  // HUP (bit 0), INT (1), USR1 (9), TERM (14).
  EXPECT_THAT(status, HasSubstr("SigBlk:\t0000000000004203"));
}

TEST(Spawn, MissingProgramIsAnErrorHereNotAnExitCodeLater) {
  EXPECT_EQ(
      error_of(
          ExitCode::kInternal,
          [&] {
            spawn(
                {.executable = "/no/such/program\n",
                 .arguments = {"x"},
                 .environment = {},
                 .output = 1,
                 .inherited = {}});
          }),
      "cannot start the worker program /no/such/program\\x0a: No such file "
      "or directory");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1); // reaped
  EXPECT_EQ(errno, ECHILD);
}

TEST(Spawn, ClosedDescriptorIsAnError) {
  EXPECT_THROW(
      spawn(
          {.executable = "/bin/true",
           .arguments = {"true"},
           .environment = {},
           .output = 1,
           .inherited = {1000}}),
      Error);
}

} // namespace
} // namespace vitrain::launch
