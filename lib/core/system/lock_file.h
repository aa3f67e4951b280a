#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/system/files.h"
#include "core/system/lock_holder.h"
#include "core/system/lock_lease.h"

namespace vitrain {

struct LockOptions {
  // Take the lock at once, also from a holder that is alive; that holder
  // notices its loss before it writes again. Applies only to the holder that
  // the constructor finds first.
  bool take_over = false;
  // Called with a sentence before the constructor waits for a sign of life: for
  // which holder, and how long at most.
  std::function<void(const std::string&)> notice = [](const std::string&) {};
  LockTimes times{};
};

// Lock that one process at a time holds by a file, also across network file
// systems and containers. The kernel's lock on the file tells at once whether a
// process of the same machine holds it; the sign of life in the file tells
// whether any process does. The lock is taken over
// - at once if its holder has certainly ended;
// - at once if this process belongs to the holder's job and does not see the
//   holder run, or if LockOptions::take_over is set;
// - otherwise after LockTimes::silence without a sign of life
//   (LockTimes::reboot if the holder's host was rebooted).
// A holder that still lives learns of its loss from check(), before it writes;
// LockLease states the window that remains. Files appear complete, by link()
// and rename(): of several processes that take over, one wins. Not inherited by
// fork().
class LockFile {
 public:
  // Takes the lock. If the holder may have ended, first waits for its sign of
  // life. Throws Error(kUsage) naming the holder if it is alive, or if `path`
  // is not a lock file; Error(kStorage) if files cannot be read or created.
  // `path`: the lock file; the files `path`.* belong to the lock too, and stale
  // ones are deleted.
  explicit LockFile(std::filesystem::path path, LockOptions options = {});
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  // Releases the lock unless it was lost; does nothing in a forked child.
  ~LockFile();

  // Returns the holder from which the lock was taken over; nullopt if it was
  // free.
  const std::optional<LockHolder>& taken_over() const { return before_; }
  // Returns what was known about the holder in taken_over(): "which has ended",
  // "which gave no sign of life for 60 s", "which was alive: it stops before it
  // writes again" (or "may be alive"). Meaningful only if taken_over() has a
  // value.
  const std::string& reason() const { return reason_; }

  // Same as LockLease::check() and LockLease::is_lost().
  void check() { lease_->check(); }
  bool is_lost() { return lease_->is_lost(); }
  // Returns the nonce, for LockLease objects of processes that write on behalf
  // of this one.
  const std::string& nonce() const { return own_.nonce; }
  // Returns an open descriptor of the lock file. If the file system has kernel
  // locks, the kernel's lock is held for as long as any process has it open.
  int descriptor() const { return kernel_lock_.get(); }

 private:
  bool try_to_take();
  bool take_from(const LockHolder& holder);
  bool await_end(const std::filesystem::path& file, const LockHolder& holder);
  bool takes_at_once(
      const std::filesystem::path& file,
      const LockHolder& holder) const;
  [[noreturn]] void refuse(const LockHolder& holder) const;
  void settle(const Fd& old, const LockHolder& holder);
  bool owns(const std::filesystem::path& file) const;
  void clean() const;

  std::filesystem::path path_;
  LockOptions options_;
  LockHolder own_;
  // Nonce of the holder that this process found first; "" if there was none. A
  // holder with another nonce has just taken the lock, and lives.
  std::string first_;
  Fd kernel_lock_; // descriptor()
  std::optional<LockHolder> before_; // taken_over()
  std::string reason_;
  std::unique_ptr<LockLease> lease_;
};

} // namespace vitrain
