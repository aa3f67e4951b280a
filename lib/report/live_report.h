#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "job/run/run_directory.h"
#include "report/runs/records.h"

namespace vitrain::report {

// Keeps <run>/report.html up to date, on a thread of lowest priority: training
// only signals changes. Reads the new records each time. A write failure is
// kept as a problem and stops nothing.
class LiveReport {
 public:
  // `may_write` is called before each page, on the thread; without its consent
  // no page is written.
  explicit LiveReport(
      job::RunDirectory folder,
      std::function<bool()> may_write = [] { return true; });
  // Ends without another page.
  ~LiveReport();
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

  // Asks for a page, and returns at once. One that is being written is followed
  // by another.
  void update();
  // Writes the last page, whatever was asked for, and waits for it.
  void finish();

  // How many pages were written in how much time, one of them at most.
  struct Cost {
    std::int64_t pages = 0;
    double seconds = 0.0;
    double most_seconds = 0.0;
    double processor_seconds = 0.0; // of the thread
  };
  // After finish().
  const Cost& cost() const { return cost_; }
  const std::string& problem() const { return problem_; }

 private:
  void work();
  void write();
  void end();

  job::RunDirectory folder_;
  std::function<bool()> may_write_;
  RecordReader reader_; // used by the thread only, like the members below
  Cost cost_;
  std::string problem_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;
  bool ended_ = false;
  std::thread thread_;
};

} // namespace vitrain::report
