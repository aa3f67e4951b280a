#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/text/json.h"

namespace vitrain {

// Who holds a lock file: a process, told from any other that ever had its pid.
struct LockHolder {
  std::string host;
  std::string machine; // /etc/machine-id, "" where there is none
  std::string boot; // boot id of the kernel
  std::string pid_space; // of the pid: "pid:[4026531836]"
  std::int64_t pid = 0;
  std::int64_t start = 0; // clock ticks between boot and the process's start
  std::string since; // local time at which the lock was taken
  std::string nonce; // of this lock alone

  // "pid 123 on host h since 2026-01-02 03:04:05".
  std::string text() const;

  bool operator==(const LockHolder&) const = default;
};
VITRAIN_JSON(
    LockHolder,
    host,
    machine,
    boot,
    pid_space,
    pid,
    start,
    since,
    nonce)

// This process, with a nonce that nobody else has.
LockHolder this_process();

// Whether the process is gone for certain: it ran on this machine, and there
// is no process of its pid and start time, or the machine has been booted
// since. False where that cannot be known from here.
bool is_gone(const LockHolder& holder);

// A lock that one process holds by a file: the file's folder may be on NFS, and
// the processes on different machines, since all rests on link() and rename()
// of complete files. What a holder leaves behind that ended without release is
// taken over by a process of its machine. Not inherited by fork().
class LockFile {
 public:
  // Takes the lock. Throws Error(kUsage) naming the holder where there is one,
  // Error(kStorage) where files cannot be made. `path`: of the lock file;
  // `path`.* are names of its own, too.
  explicit LockFile(std::filesystem::path path);
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  // Releases it, in the process that has taken it.
  ~LockFile();

  // Who held it before and ended without release, if somebody did.
  const std::optional<LockHolder>& taken_over() const { return before_; }

 private:
  bool try_to_take();
  bool take_from(const LockHolder& holder);
  void clean() const;

  std::filesystem::path path_;
  LockHolder own_;
  std::optional<LockHolder> before_;
};

} // namespace vitrain
