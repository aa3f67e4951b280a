#include "report/page/live_report.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/system/clock.h"
#include "core/system/stacks.h"
#include "report/page/write_report.h"
#include "report/runs/run_record.h"

namespace vitrain::report {
namespace {

constexpr int kLowestPriority = 19; // nice value

// Returns the CPU time of this thread in seconds.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
      1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

LiveReport::LiveReport(
    job::RunDirectory folder,
    std::function<bool()> may_write)
    : folder_(std::move(folder)),
      may_write_(std::move(may_write)),
      reader_(folder_.metrics()) {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { work(); });
}

LiveReport::~LiveReport() {
  end();
}

void LiveReport::update() {
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  changed_.notify_one();
}

void LiveReport::finish() {
  update();
  end();
}

void LiveReport::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

void LiveReport::work() {
  // On Linux this affects this thread only. On failure the thread keeps normal
  // priority.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLowestPriority);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return wanted_ || ended_; });
    if (!wanted_) {
      return;
    }
    wanted_ = false;
    lock.unlock();
    write();
    lock.lock();
  }
}

void LiveReport::write() {
  const Stopwatch watch;
  const double processor = processor_seconds();
  try {
    reader_.update();
    Run run = open_run(folder_.path, reader_.records());
    if (!run.records.done.is_object()) {
      run.state = RunStatus::kRunning;
      run.reason.clear();
    }
    problem_.clear();
    if (!may_write_()) {
      return;
    }
    write_report({&run, 1}, report_file(folder_));
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
  const double seconds = watch.seconds();
  ++cost_.pages;
  cost_.seconds += seconds;
  cost_.processor_seconds += processor_seconds() - processor;
  cost_.most_seconds = std::max(cost_.most_seconds, seconds);
}

} // namespace vitrain::report
