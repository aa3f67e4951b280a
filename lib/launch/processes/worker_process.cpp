#include "launch/processes/worker_process.h"

#include <fcntl.h>
#include <sys/prctl.h>

#include <cstdlib>

#include "core/check.h"
#include "core/system/system.h"
#include "core/text.h"
#include "launch/processes/descriptors.h"

namespace vitrain::launch {
namespace {

std::string text_variable(const char* name) {
  const char* value = std::getenv(name);
  VITRAIN_CHECK(
      value != nullptr,
      ExitCode::kUsage,
      "{} is not set: a worker is started by vitrain itself, never by hand",
      name);
  return value;
}

int number_variable(const char* name, std::int64_t low, std::int64_t high) {
  const std::string text = text_variable(name);
  std::int64_t value = 0;
  VITRAIN_CHECK(
      parse_int(text, value) && value >= low && value <= high,
      ExitCode::kUsage,
      "{}={}: expected an integer in [{}, {}]",
      name,
      printable(text),
      low,
      high);
  return static_cast<int>(value);
}

Fd take_over(const char* name) {
  Fd fd(inherited_descriptor(name));
  set_close_on_exec(fd.get(), true);
  return fd;
}

} // namespace

int inherited_descriptor(const char* name) {
  const int fd = number_variable(name, 3, 1 << 30);
  VITRAIN_CHECK(
      ::fcntl(fd, F_GETFD) != -1,
      ExitCode::kUsage,
      "{}={}: no such open descriptor; a worker is started by vitrain itself, "
      "never by hand",
      name,
      fd);
  return fd;
}

WorkerContext read_worker_context() {
  constexpr std::int64_t kMaxRanks = 1 << 20;
  WorkerContext context;
  context.world_size = number_variable(variable::kWorldSize, 1, kMaxRanks);
  context.rank = number_variable(variable::kRank, 0, context.world_size - 1);
  context.local_world_size =
      number_variable(variable::kLocalWorldSize, 1, context.world_size);
  context.local_rank =
      number_variable(variable::kLocalRank, 0, context.local_world_size - 1);
  context.master_address = text_variable(variable::kMasterAddress);
  const bool meets = context.world_size > 1;
  context.master_port =
      number_variable(variable::kMasterPort, meets ? 1 : 0, 65535);
  const int job = inherited_descriptor(variable::kJobFd);
  context.job = Mapping(job).bytes();
  set_close_on_exec(job, true);
  context.own_address = text_variable(variable::kOwnAddress);
  context.launcher = environment_variable(variable::kLauncher);
  context.store_prefix = environment_variable(variable::kStorePrefix);
  context.launch_parents = environment_variable(variable::kLaunchParents);
  if (!context.launched()) {
    context.heartbeat = take_over(variable::kHeartbeatFd);
  }
  if (context.rank == 0) {
    if ((meets && !context.launched()) ||
        std::getenv(variable::kListenFd) != nullptr) {
      context.listen = take_over(variable::kListenFd);
    }
    context.terminal = take_over(variable::kTerminalFd);
  }
  // After exec of /proc/self/exe, the process would be called "exe".
  ::prctl(PR_SET_NAME, fmt::format("vitrain:{}", context.rank).c_str());
  return context;
}

} // namespace vitrain::launch
