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
  // Time in which a holder completes a write after check(). A LockFile that
  // takes the lock at once from a holder that may be alive waits that long, or
  // until the holder has ended, before its constructor returns.
  double settle = 0.5;
  // Silence after which the lock is taken over if was_rebooted() is true.
  double reboot = 5.0;
  // Silence after which the lock is taken over in other cases.
  double silence = 60.0;
};

// Keeps a lock that was taken: a thread renews the sign of life in the lock
// file, and check() throws once another process has taken over. The process
// that took the lock has one LockLease, and so has each process that writes on
// its behalf. After fork() a child must not destroy it.
//
// No file system can refuse the write of a former holder, so a window remains
// between check() and the write that follows it: a process that is suspended
// exactly there writes once more. Keep the window short: call check()
// immediately before each write, and let the write be one operation that leaves
// complete files (a rename, an appended record).
class LockLease {
 public:
  // `path`: the lock file; `nonce`: LockHolder::nonce of its holder. If the
  // file is missing or names another holder, the lock counts as lost.
  LockLease(
      std::filesystem::path path,
      std::string nonce,
      const LockTimes& times = {});
  ~LockLease();
  LockLease(const LockLease&) = delete;
  LockLease& operator=(const LockLease&) = delete;

  // Reads the lock file. Throws Error(kStorage) naming the new holder if the
  // lock was taken over; not if the file exists but cannot be opened now. A
  // removed file is created again. Call it before each write. Any thread may
  // call.
  void check();
  // As check(), but does not read the file: the last look at it decides, which
  // the thread repeats every LockTimes::refresh seconds. Not sufficient before
  // a write.
  void check_seen() const;
  // Returns true if the lock was taken over; reads the file. Any thread may
  // call.
  bool is_lost();

 private:
  void work();
  // Reads the lock file. If it no longer has the nonce, marks the lock as lost;
  // otherwise renews the sign of life there if `renews`.
  void look(bool renews);
  // Creates the lock file again after its removal. Returns the holder that the
  // file then names, which may be another process, or last_ if the file cannot
  // be created or read; nullopt if it is gone again, or if this object has
  // never seen it.
  std::optional<LockHolder> restored();

  std::filesystem::path path_;
  std::string nonce_;
  LockTimes times_;
  std::mutex refreshing_;
  LockHolder last_; // content last read or written; guarded by refreshing_
  // Seconds since boot at the last look that found the nonce; guarded by
  // refreshing_.
  double seen_;
  Fd kernel_lock_; // on a file that restored() created
  std::string lost_; // message of check(); written once, before is_lost_
  std::atomic<bool> is_lost_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false; // guarded by mutex_
  std::thread thread_;
};

} // namespace vitrain
