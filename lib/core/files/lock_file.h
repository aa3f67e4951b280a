#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/files/files.h"
#include "core/files/lock_holder.h"
#include "core/files/lock_lease.h"

namespace vitrain {

struct LockOptions {
  // Take the lock from a holder that shows signs of life, too; it notices
  // before it writes again.
  bool take_over = false;
  // Gets a sentence before the constructor waits: for whom, and how long.
  std::function<void(const std::string&)> notice = [](const std::string&) {};
  LockTimes times{};
};

// A lock that one process at a time holds by a file, also over a network file
// system and from containers: the kernel's lock on the file says at once
// whether a process of the same machine has it, a sign of life in the file
// whether any has. A lock is free when its holder has ended for certain, or has
// been silent for LockTimes::silence (::successor, if this process belongs to
// the holder's job). A holder that was stopped for longer finds out by check(),
// before it writes. All rests on link() and rename() of complete files: of
// several processes that take over one wins. Not inherited by fork().
class LockFile {
 public:
  // Takes the lock; waits for signs of life of a holder that may have ended.
  // Throws Error(kUsage) naming the holder if that is alive, Error(kStorage) if
  // files cannot be made. `path`: of the lock file; `path`.* are its, too.
  explicit LockFile(std::filesystem::path path, LockOptions options = {});
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  // Releases it, in the process that has taken it, unless it was lost.
  ~LockFile();

  // The holder from which it was taken over, if there was one.
  const std::optional<LockHolder>& taken_over() const { return before_; }
  // Why: "which has ended", "which gave no sign of life for 60 s".
  const std::string& reason() const { return reason_; }

  // As LockLease.
  void check() { lease_->check(); }
  bool is_lost() { return lease_->is_lost(); }
  // For the leases of processes that write on behalf of this one.
  const std::string& nonce() const { return own_.nonce; }
  // Keeps the kernel's lock in whichever processes have it open; -1: none.
  int descriptor() const { return kernel_lock_.get(); }

 private:
  bool try_to_take();
  bool take_from(const LockHolder& holder);
  bool await_end(const std::filesystem::path& file, const LockHolder& holder);
  double patience_for(const LockHolder& holder) const;
  [[noreturn]] void refuse(const LockHolder& holder) const;
  void await_notice(const Fd& old, const LockHolder& holder) const;
  bool owns(const std::filesystem::path& file) const;
  void clean() const;

  std::filesystem::path path_;
  LockOptions options_;
  LockHolder own_;
  Fd kernel_lock_;
  std::optional<LockHolder> before_;
  std::string reason_;
  bool alive_ = false; // the last holder was, and is to notice
  std::unique_ptr<LockLease> lease_;
};

} // namespace vitrain
