#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/files/files.h"
#include "core/text/json.h"

namespace vitrain {

// Bytes of the largest file that is read as a lock.
inline constexpr std::size_t kLockSizeLimit = std::size_t{64} << 10;

// The content of a lock file: the process that holds the lock, described such
// that no process that gets the same pid later is mistaken for it.
struct LockHolder {
  std::string host;
  std::string machine; // /etc/machine-id; "" if there is none
  std::string boot; // boot id of the kernel
  std::string pid_space; // of the pid: "pid:[4026531836]"
  std::int64_t pid = 0;
  std::int64_t start = 0; // clock ticks between boot and the process's start
  std::string since; // local time at which the lock was taken
  std::string nonce; // identifies this holding of the lock
  // Names that the process's batch system gives its job, by their source:
  // {"SLURM_JOB_ID": "12"}.
  std::map<std::string, std::string> jobs;
  // Device number of the file system on which the holder has a kernel lock on
  // the file; 0: it has none.
  std::uint64_t device = 0;
  // Last sign of life, which the holder rewrites every few seconds, UTC; always
  // of one length. "": the file was written by an older version.
  std::string time;

  // "pid 123 on host h since 2026-01-02 03:04:05".
  std::string text() const;
};
void to_json(Json& json, const LockHolder& holder);
// Throws Json::exception; `jobs`, `device` and `time` may be missing.
void from_json(const Json& json, LockHolder& holder);

// This process, with a new nonce.
LockHolder this_process();

// The current time in the form of LockHolder::time.
std::string sign_of_life();

// The content of a lock file: JSON that ends with a line end.
std::string lock_text(const LockHolder& holder);

// The holder that a lock file names; nullopt if there is no file. Throws
// Error(kUsage) if the file is not a lock, Error(kStorage) if it cannot be
// read.
std::optional<LockHolder> read_holder(const std::filesystem::path& file);

// Creates a lock file that is whole from its first moment, unless the name is
// taken, and locks it by the kernel where the file system can, which sets
// `holder.device`. Returns the descriptor that holds the kernel lock as long as
// any copy of it is open, or none. Whether the file is this holder's, only
// reading it says: over NFS an answer can be lost, and the file is there all
// the same. Throws Error(kStorage).
Fd create_lock_file(const std::filesystem::path& file, LockHolder& holder);

// Whether the holder of the lock file has ended for certain: on this kernel,
// the lock that it had on the file is free, or no process has its pid and start
// time. False if that cannot be known from here.
bool is_gone(const LockHolder& holder, const std::filesystem::path& file);

// Whether the holder is a process that this one can see running, neither
// stopped nor ended.
bool is_seen_running(const LockHolder& holder);

// Whether both belong to one job of a batch system (of which a requeued or
// replaced part is the successor), or to one host that has been booted since.
bool is_successor(const LockHolder& holder, const LockHolder& own);

} // namespace vitrain
