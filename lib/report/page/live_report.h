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

// Keeps <run>/report.html up to date on a thread of lowest priority; the
// training thread only signals changes. Reads only new records. A failure is
// stored as problem() and does not stop anything.
class LiveReport {
 public:
  // `may_write` is called before each page, on the thread; if it returns false,
  // the page is not written.
  explicit LiveReport(
      job::RunDirectory folder,
      std::function<bool()> may_write = [] { return true; });
  // Waits for a page that was requested, if any; writes no other.
  ~LiveReport();
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

  // Requests a page and returns immediately. If one is being written, another
  // follows.
  void update();
  // Writes the final page, whether requested or not, and waits for it.
  void finish();

  // Number of pages, including failed ones but not those that may_write
  // refused, and their total and longest time.
  struct Cost {
    std::int64_t pages = 0;
    double seconds = 0.0;
    double most_seconds = 0.0;
    double processor_seconds = 0.0; // CPU time of the thread
  };
  // Valid after finish(). problem(): why the last page could not be written; ""
  // if it was, or if may_write returned false.
  const Cost& cost() const { return cost_; }
  const std::string& problem() const { return problem_; }

 private:
  void work();
  void write();
  void end();

  job::RunDirectory folder_;
  std::function<bool()> may_write_;
  RecordReader reader_; // this and the next members are used by the thread only
  Cost cost_;
  std::string problem_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;
  bool ended_ = false;
  std::thread thread_;
};

} // namespace vitrain::report
