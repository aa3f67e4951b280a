#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/json.h"
#include "core/system/files.h"

namespace vitrain {

// Maximum size of a lock file in bytes; larger files are not locks.
inline constexpr std::size_t kLockSizeLimit = std::size_t{64} << 10;

// Content of a lock file: identifies the process that holds the lock, so that a
// later process with the same pid is not mistaken for it.
struct LockHolder {
  std::string host;
  std::string machine; // /etc/machine-id; "" if there is none
  std::string boot; // boot id of the kernel
  std::string pid_space; // namespace of the pid: "pid:[4026531836]"
  std::int64_t pid = 0;
  std::int64_t start = 0; // clock ticks between boot and the process's start
  std::string since; // local time at which the lock was taken
  std::string nonce; // identifies this holding of the lock
  // Ids of the batch job that the process belongs to, by the variables they
  // come from: {"SLURM_JOB_ID": "12"}.
  std::map<std::string, std::string> jobs;
  // Device number of the file system if the holder has a kernel lock on the
  // file; 0: it has no kernel lock.
  std::uint64_t device = 0;
  // UTC time of the last sign of life, which the holder rewrites every few
  // seconds; always of the same length. "": the file was written by an older
  // version.
  std::string time;

  // Returns "pid 123 on host h since 2026-01-02 03:04:05".
  std::string text() const;
};
void to_json(Json& json, const LockHolder& holder);
// Throws Json::exception; `jobs`, `device` and `time` may be missing.
void from_json(const Json& json, LockHolder& holder);

// Returns the description of this process, with a new nonce.
LockHolder this_process();

// Returns the current time in the format of LockHolder::time.
std::string sign_of_life();

// Returns the content of a lock file: JSON and a newline.
std::string lock_text(const LockHolder& holder);

// Returns the holder that a lock file names; nullopt if there is no file.
// Throws Error(kUsage) if the file is not a lock, Error(kStorage) if it cannot
// be read.
std::optional<LockHolder> read_holder(const std::filesystem::path& file);

// Creates a lock file unless one exists. The file appears with its full
// content. Also takes the kernel's lock on it, where the file system supports
// that, and sets `holder.device`. Returns the descriptor that holds the kernel
// lock while any copy of it is open; empty if there is no kernel lock. Read the
// file afterwards to learn whether it is this holder's: over NFS the reply to a
// successful creation can be lost. Throws Error(kStorage).
Fd create_lock_file(const std::filesystem::path& file, LockHolder& holder);

// Returns whether the holder runs, also stopped: its kernel lock on `file` is
// held, or a process has its pid and start time. nullopt if this process cannot
// determine that, for example because the holder is on another host.
std::optional<bool> is_running(
    const LockHolder& holder,
    const std::filesystem::path& file);

// Returns true if is_running() is known to be false.
bool is_gone(const LockHolder& holder, const std::filesystem::path& file);

// Returns true if this process can see the holder running, neither stopped nor
// ended.
bool is_seen_running(const LockHolder& holder);

// Returns true if both processes belong to one batch job: a requeued job, or a
// replaced pod.
bool is_of_same_job(const LockHolder& holder, const LockHolder& own);

// Returns true if the host of `own` has the holder's names and has been
// rebooted since. Another machine may have the same names.
bool was_rebooted(const LockHolder& holder, const LockHolder& own);

} // namespace vitrain
