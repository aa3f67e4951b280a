#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "logging/mlflow_client.h"

namespace vitrain::logging {

// Sends metrics and files of a run to an MLflow server on a separate thread, so
// that callers, except of finish(), never wait for the network. Deliveries that
// may succeed later (HttpReply::try_again()) are retried after 1, 2, 4, ... at
// most 60 s; rejected ones are dropped. If the queue of kMostWaiting metrics is
// full, the oldest are dropped. Thread-safe.
class MlflowLog {
 public:
  // Throws Error(kUsage) if libcurl cannot be loaded.
  explicit MlflowLog(const MlflowOptions& options);
  // Calls finish(kFailed) with a patience of 1.5 s, unless finish() was called.
  ~MlflowLog();
  MlflowLog(const MlflowLog&) = delete;
  MlflowLog& operator=(const MlflowLog&) = delete;

  void metric(std::string key, double value, std::int64_t step);
  // Sends a file of the run folder, named relative to it. Call it again to send
  // a newer version.
  void file(std::string name);

  // Ends the run on the server. Waits at most `patience` seconds for queued
  // metrics and files; with kFinished, as long as something is delivered every
  // `patience` seconds, at most kLongestEnd. Gives up after two failed attempts
  // in this time. Later calls do nothing.
  void finish(MlflowStatus status, double patience = kPatience);

  // Returns a warning for the user, "" if there is none: the first time that
  // the server cannot be reached or rejects something. There is at most one per
  // run.
  std::string take_warning();
  // Valid after finish(): returns a sentence with the numbers of metrics and
  // files that were not delivered, or that the end of the run was not, and the
  // reason; "" if all were delivered.
  std::string problem() const;

  static constexpr double kPatience = 4.0; // seconds
  static constexpr double kLongestEnd = 30.0; // seconds
  static constexpr std::size_t kMostWaiting = 100'000;

 private:
  void work();
  // Sends a part of the queue; returns false if the server needs a pause.
  bool send_some(std::unique_lock<std::mutex>& lock);
  void note(const HttpReply& reply, const std::string& what);

  MlflowClient client_;
  std::string uri_;
  mutable std::mutex mutex_;
  std::condition_variable wake_; // wakes the thread
  std::condition_variable idle_; // wakes the caller of finish()
  std::deque<MlflowMetric> metrics_;
  std::deque<std::string> files_;
  bool ending_ = false; // finish() is waiting
  bool abandoned_ = false; // finish() has stopped waiting
  bool ended_ = false; // the server knows the status
  bool done_ = false; // the thread has ended its work
  MlflowStatus status_ = MlflowStatus::kFailed;
  std::int64_t lost_ = 0;
  std::int64_t answered_ = 0; // requests that need no retry
  std::string warning_;
  bool warned_ = false;
  std::string reason_; // reason of the last failure
  std::thread thread_;
};

} // namespace vitrain::logging
