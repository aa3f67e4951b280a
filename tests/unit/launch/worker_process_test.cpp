#include "launch/processes/worker_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/check.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/heartbeat.h"
#include "support/messages.h"

namespace vitrain::launch {
namespace {

class WorkerEnvironmentTest : public testing::Test {
 protected:
  void set(const char* name, const std::string& value) {
    ::setenv(name, value.c_str(), 1);
    names_.push_back(name);
  }
  void set_rank(int rank, int world) {
    set(variable::kRank, std::to_string(rank));
    set(variable::kLocalRank, std::to_string(rank));
    set(variable::kWorldSize, std::to_string(world));
    set(variable::kLocalWorldSize, std::to_string(world));
    set(variable::kMasterAddress, "127.0.0.1");
    set(variable::kMasterPort, "4000");
    set(variable::kOwnAddress, "127.0.0.1");
  }
  void TearDown() override {
    for (const char* name : names_) {
      ::unsetenv(name);
    }
  }
  static std::string error() {
    try {
      read_worker_context();
    } catch (const Error& caught) {
      EXPECT_EQ(caught.code(), ExitCode::kUsage);
      return caught.what();
    }
    ADD_FAILURE();
    return "";
  }

 private:
  std::vector<const char*> names_;
};

TEST_F(WorkerEnvironmentTest, IsReadWhole) {
  // The context takes the descriptors over.
  Fd job = make_memfd("job", R"({"a": 1})");
  Fd heartbeat(::fcntl(HeartbeatBlock(2).fd(), F_DUPFD, 3));
  Fd listen = make_memfd("stands for a socket", "");
  Fd terminal = duplicate_or_null(-1);
  set_rank(0, 2);
  set(variable::kJobFd, std::to_string(job.get()));
  set(variable::kHeartbeatFd, std::to_string(heartbeat.release()));
  set(variable::kListenFd, std::to_string(listen.release()));
  set(variable::kTerminalFd, std::to_string(terminal.release()));
  const WorkerContext context = read_worker_context();
  EXPECT_EQ(context.rank, 0);
  EXPECT_EQ(context.world_size, 2);
  EXPECT_EQ(context.master_port, 4000);
  EXPECT_EQ(context.job, R"({"a": 1})");
  for (const Fd* fd :
       {&context.heartbeat, &context.listen, &context.terminal}) {
    EXPECT_NE(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST_F(WorkerEnvironmentTest, StartedByHandIsAUsageError) {
  expect_message(error(), {});
  set_rank(0, 2);
  expect_message(error(), {});
  set(variable::kJobFd, "999");
  expect_message(error(), {"VITRAIN_JOB_FD=999"});
  set(variable::kJobFd, "1");
  expect_message(error(), {"3"});
  set(variable::kRank, "2");
  expect_message(error(), {"RANK=2"});
  set(variable::kRank, "-1\n");
  expect_message(error(), {"1"});
}

} // namespace
} // namespace vitrain::launch
