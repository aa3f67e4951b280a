#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "core/system/files.h"
#include "launch/processes/environment.h"

namespace vitrain::launch {

// Ancestor process of a worker that another launcher started. After its end, no
// process waits for the worker.
struct LaunchParent {
  pid_t pid = 0;
  std::uint64_t start_time = 0; // of /proc/PID/stat: distinguishes reused pids
};

// Returns the processes from this one's parent up to the launcher, nearest
// first: shells and scripts that wrap the worker (they have the rank's
// variable, or are `sh -c` or forks of their parent), and the first process
// that is none of these. The list ends before an interactive shell, at whose
// end the terminal sends SIGHUP. A `sh -c` under nohup is its last process.
std::vector<LaunchParent> find_launch_parents(const std::string& rank_variable);

// Converts to text such as "12-3456,13-3457" (PID-START_TIME), and back;
// invalid parts of the text are ignored.
std::string to_text(const std::vector<LaunchParent>& parents);
std::vector<LaunchParent> launch_parents_from(const std::string& text);

// Process that started the workers of this node: the nearest ancestor without
// the variable for the rank (shells and scripts that wrap workers have it); its
// pid is at most 1 if all above init have it.
struct LauncherProcess {
  LaunchParent process;
  Environment environment; // at its start; empty for processes of other users
};
LauncherProcess find_launcher_process(const std::string& rank_variable);

// Thread that ends this process with exit code 7 (kWorkerDied) within a second
// after one of the parents has ended: a killed launcher cannot stop its
// workers, and shells between them outlive it. exec ends the thread.
class LaunchParentWatch {
 public:
  // `who`: name of this process in its last message on stderr: "rank 1". Does
  // nothing if `parents` is empty; ends the process at once if one is gone.
  LaunchParentWatch(const std::vector<LaunchParent>& parents, std::string who);
  LaunchParentWatch(const LaunchParentWatch&) = delete;
  LaunchParentWatch& operator=(const LaunchParentWatch&) = delete;
  ~LaunchParentWatch();

  // Writes the message about the end of the process also to `fd`, such as a
  // worker's log.
  void tell_also(int fd) { also_ = fd; }

 private:
  struct Watched {
    LaunchParent parent;
    std::string name;
    Fd handle; // empty if the kernel or a sandbox lacks pidfd_open
  };

  static bool is_gone(const Watched& one);
  void run();
  [[noreturn]] void end(const Watched& lost);

  std::string who_;
  Fd wake_;
  std::vector<Watched> watched_;
  std::atomic<int> also_{-1};
  std::thread thread_;
};

} // namespace vitrain::launch
