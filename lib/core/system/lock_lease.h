#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/system/files.h"
#include "core/system/lock_holder.h"

namespace vitrain {

// Times in seconds of holders of a lock file and of processes that wait for it.
// Each process measures them on its own clock: wall clocks of different hosts
// are never compared.
struct LockTimes {
  // Interval between two signs of life of a holder.
  double refresh = 2.0;
  // Time for which a holder may write without reading the lock file again after
  // it last saw its own nonce there. Less than `successor`, so that a holder
  // that was suspended reads the file before it writes.
  double trust = 4.0;
  // Silence after which a process for which is_successor() is true takes over.
  double successor = 5.0;
  // Silence after which any process takes over.
  double silence = 60.0;
};

// Keeps a lock that was taken: a thread renews the sign of life in the lock
// file, and check() throws once another process has taken over. The process
// that took the lock has one LockLease, and so has each process that writes on
// its behalf. After fork() a child must not destroy it.
class LockLease {
 public:
  // `path`: the lock file; `nonce`: LockHolder::nonce of its holder.
  LockLease(
      std::filesystem::path path,
      std::string nonce,
      const LockTimes& times = {});
  ~LockLease();
  LockLease(const LockLease&) = delete;
  LockLease& operator=(const LockLease&) = delete;

  // Throws Error(kStorage) naming the new holder if the lock was taken over.
  // Call it before each write. Reads the file only if the thread has not read
  // it during the last LockTimes::trust seconds. Any thread may call.
  void check();
  // Returns true if the lock was taken over; reads the file as check() does.
  // Any thread may call.
  bool is_lost();

 private:
  void work();
  // Reads the lock file. If it still has the nonce, renews its sign of life;
  // otherwise marks the lock as lost.
  void refresh();
  // Creates the lock file again after its removal. Returns the holder that the
  // file then names, which may be another process; nullopt if this object has
  // never seen the file.
  std::optional<LockHolder> restored();

  std::filesystem::path path_;
  std::string nonce_;
  LockTimes times_;
  std::mutex refreshing_;
  LockHolder last_; // content as last written; guarded by refreshing_
  Fd kernel_lock_; // on a file that restored() created
  std::string lost_; // message of check(); written once, before is_lost_
  std::atomic<bool> is_lost_ = false;
  std::atomic<double> seen_; // boot_time() at which the nonce was last seen
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false; // guarded by mutex_
  std::thread thread_;
};

} // namespace vitrain
