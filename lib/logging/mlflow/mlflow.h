#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "logging/mlflow/mlflow_client.h"

namespace vitrain::logging {

// Takes the numbers of a run to an MLflow server, by a thread of its own: who
// calls never waits for the network. What cannot be delivered is tried again,
// after 1, 2, 4, ... at most 60 s; what a queue of kMostWaiting numbers has no
// room for is lost, the oldest first, and counted. Safe to use from any thread.
class MlflowLog {
 public:
  // Throws Error(kUsage) where there is no libcurl.
  explicit MlflowLog(const MlflowOptions& options);
  // As finish(kFailed) with less patience, unless that has been called.
  ~MlflowLog();
  MlflowLog(const MlflowLog&) = delete;
  MlflowLog& operator=(const MlflowLog&) = delete;

  void metric(std::string key, double value, std::int64_t step);
  // A file of the run folder, by its name in it; sent again when it is named
  // again.
  void file(std::string name);

  // The last words: waits for what is queued, at most `patience` seconds; of a
  // run that has come to its end as long as something is delivered in so many,
  // at most kLongestEnd.
  void finish(MlflowStatus status, double patience = kPatience);

  // A sentence for the reader, once, when the server cannot be reached or
  // refuses something; else "".
  std::string take_warning();
  // "", or after finish() what has not been delivered, and why.
  std::string problem() const;

  static constexpr double kPatience = 4.0;
  static constexpr double kLongestEnd = 30.0;
  static constexpr std::size_t kMostWaiting = 100'000;

 private:
  void work();
  // Sends something of what is queued; false where the server has to be given
  // time.
  bool send_some(std::unique_lock<std::mutex>& lock);
  void note(const HttpReply& reply, const std::string& what);

  MlflowClient client_;
  std::string uri_;
  mutable std::mutex mutex_;
  std::condition_variable wake_; // the thread
  std::condition_variable idle_; // who finishes
  std::deque<MlflowMetric> metrics_;
  std::deque<std::string> files_;
  bool ending_ = false; // finish() waits
  bool abandoned_ = false; // it waits no longer
  bool ended_ = false; // the server knows the status
  bool done_ = false; // the thread has nothing more to do
  MlflowStatus status_ = MlflowStatus::kFailed;
  std::int64_t lost_ = 0;
  std::int64_t answered_ = 0; // requests that need not be tried again
  std::string warning_;
  bool warned_ = false;
  std::string reason_; // of the last failure
  std::thread thread_;
};

} // namespace vitrain::logging
