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
  // Ids of the batch job that the process belongs to, by the environment
  // variables they come from: {"SLURM_JOB_ID": "12"}, {"LSB_JOBID": "7.3"} for
  // task 3 of a job. In Kubernetes also "pod": the host name.
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
// Throws Json::exception if a member is missing. If `time` is missing, as in
// files of older versions, `jobs` and `device` are not read either.
void from_json(const Json& json, LockHolder& holder);

// Returns the description of this process, with a new nonce.
LockHolder this_process();

// Returns the current time in the format of LockHolder::time.
std::string sign_of_life();

// Returns the content of a lock file: JSON and a newline.
std::string lock_text(const LockHolder& holder);

// Returns the holder that a lock file names; nullopt if there is no file.
// Throws Error(kUsage) if its content is not a lock's, Error(kStorage) if it
// cannot be read, is not a regular file or is larger than kLockSizeLimit.
std::optional<LockHolder> read_holder(const std::filesystem::path& file);

// Creates a lock file unless one exists. The file appears with its full content
// if the file system has link() or an exclusive rename. Also takes the kernel's
// lock on the file, and sets `holder.device`; 0 if the file system has no
// kernel locks. Returns a descriptor of the created file; the kernel lock is
// held while any copy of it is open. Read the file afterwards to learn whether
// it is this holder's: if a file existed, the descriptor is of a deleted one or
// empty, and over NFS the reply to a successful creation can be lost. Throws
// Error(kStorage) if the temporary file FILE.new-NONCE cannot be written, or if
// no file exists and none can be created.
Fd create_lock_file(const std::filesystem::path& file, LockHolder& holder);

// Returns whether the holder runs; a stopped process counts as running. It runs
// if its kernel lock on `file`, its lock file, is held or, if that cannot be
// known, if a process has its pid and start time. nullopt if this process
// cannot determine that, for example because the holder is on another host.
std::optional<bool> is_running(
    const LockHolder& holder,
    const std::filesystem::path& file);

// Returns true if is_running() returns false (not nullopt).
bool is_gone(const LockHolder& holder, const std::filesystem::path& file);

// Returns true if this process can see the holder running, neither stopped nor
// ended.
bool is_seen_running(const LockHolder& holder);

// Returns true if an entry of LockHolder::jobs is equal in both: processes of
// one batch job, for example before and after it was requeued.
bool is_of_same_job(const LockHolder& holder, const LockHolder& own);

// Returns true if `own` has the holder's `host` and `machine` and another boot
// id (both known): the host was rebooted. Another machine may have the same
// names.
bool was_rebooted(const LockHolder& holder, const LockHolder& own);

} // namespace vitrain
