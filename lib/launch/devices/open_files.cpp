#include "launch/devices/open_files.h"

#include <sys/resource.h>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::launch {

std::int64_t OpenFiles::need() const {
  // Measured in /proc/PID/fd of rank 0 during training, evaluation and
  // checkpoints. Open files with 2, 4 and 8 workers: 35, 41, 53; with async_ps:
  // 52, 64, 88; with hierarchical_sgd on 4 and 8 workers: 46, 58. With 8
  // workers, a limit of 53 was too low, and 55 was enough.
  constexpr std::int64_t kAlone = 32;
  constexpr std::int64_t kPerWorker = 3; // the store, and two process groups
  constexpr std::int64_t kServersAlone = 11;
  constexpr std::int64_t kServersPerWorker = 3;
  constexpr std::int64_t kBlocks = 5;
  return kAlone + kPerWorker * workers + (blocks ? kBlocks : 0) +
      (servers ? kServersAlone + kServersPerWorker * workers : 0);
}

void provide_open_files(const OpenFiles& files) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return; // no limit
  }
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) {
      limit = raised;
    }
  }
  VITRAIN_CHECK(
      limit.rlim_cur >= static_cast<rlim_t>(files.need()),
      ExitCode::kUsage,
      "{} need {} open files each, and {} are allowed (`ulimit -Hn`): raise "
      "that limit (`ulimit -n {}` as root, LimitNOFILE of a service, --ulimit "
      "nofile of a container), or use fewer workers",
      counted(files.workers, "worker"),
      files.need(),
      limit.rlim_cur,
      files.need());
}

void check_tasks(
    const Cgroup& cgroup,
    int workers,
    const WorkerThreads& threads) {
  // Lower bounds. Threads counted in /proc/PID/task during training: the
  // supervisor 2; a single worker with 2 compute threads and 1 loading thread
  // 6; two workers with 1 and 1 thread: 11 and 8.
  constexpr int kSupervisor = 2;
  constexpr int kOwn = 2;
  constexpr int kGroups = 4; // for other workers' messages
  const int need = kSupervisor +
      workers *
          (kOwn + threads.compute + threads.loading +
           (workers > 1 ? kGroups : 0));
  const auto tasks = cgroup.tasks();
  VITRAIN_CHECK(
      !tasks || tasks->left >= need,
      ExitCode::kUsage,
      "{} need at least {} processes and threads, and the control group of "
      "this process allows {} more (pids.max {}): raise that limit (TasksMax "
      "of a service, --pids-limit of a container), or use fewer workers or "
      "data.threads",
      counted(workers, "worker"),
      need,
      tasks->left,
      tasks->limit);
}

} // namespace vitrain::launch
