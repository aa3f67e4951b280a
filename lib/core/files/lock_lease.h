#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/files/files.h"
#include "core/files/lock_holder.h"

namespace vitrain {

// Seconds that holders and takers of a lock file count, each on a clock of its
// own: no wall clock of two hosts is compared.
struct LockTimes {
  // Between two signs of life of a holder.
  double refresh = 2.0;
  // A holder writes without another look at the lock file for this time after
  // it has last seen its own nonce there. Less than `successor`, so that a
  // holder that was stopped looks again before it writes.
  double trust = 4.0;
  // Silence after which the successor of a job takes over (is_successor()).
  double successor = 5.0;
  // Silence after which any process takes over.
  double silence = 60.0;
};

// Keeps a lock that was taken: a thread renews the sign of life in the lock
// file, and check() throws once another process has taken over. The
// process that took the lock has one, and so has each process that writes on
// its behalf. After fork() a child must not destroy it.
class LockLease {
 public:
  // `nonce`: of the holder that took the lock file `path`.
  LockLease(
      std::filesystem::path path,
      std::string nonce,
      const LockTimes& times = {});
  ~LockLease();
  LockLease(const LockLease&) = delete;
  LockLease& operator=(const LockLease&) = delete;

  // Throws Error(kStorage) naming the new holder if the lock was taken over; to
  // be called before each write. Reads the file only if the thread could not
  // look at it during the last LockTimes::trust seconds. Any thread.
  void check();
  // Whether the lock was taken over, after the same look. Any thread.
  bool is_lost();

 private:
  void work();
  // Looks whether the file has the nonce, and renews its time if so.
  void refresh();
  // Creates the lock file again after its removal. Returns the holder that it
  // names then, which may be another one; nullopt if there never was a file.
  std::optional<LockHolder> restored();

  std::filesystem::path path_;
  std::string nonce_;
  LockTimes times_;
  std::mutex refreshing_;
  LockHolder last_; // as last written; guarded by refreshing_
  Fd kernel_lock_; // on a file that was created again
  std::string lost_; // what check() says; written once, before is_lost_
  std::atomic<bool> is_lost_ = false;
  std::atomic<double> seen_; // boot time at which the nonce was last seen
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false; // guarded by mutex_
  std::thread thread_;
};

} // namespace vitrain
