#include "core/system/lock_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/system/clock.h"
#include "core/text.h"

namespace vitrain {
namespace {

namespace fs = std::filesystem;

// Seconds between two reads of another holder's file.
constexpr double kLook = 0.2;
// A longer interval between two reads means that this process itself was
// suspended (SIGSTOP, a suspended machine), and proves nothing about the
// holder.
constexpr double kLongestLook = 1.0;

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Returns the name of the claim on a lock whose holder `holder` did not release
// it.
fs::path claim_on(const fs::path& path, const LockHolder& holder) {
  return path.native() + ".after-" + holder.nonce;
}

// Returns true if the file of a holder on this machine was written in the last
// 10 s. A process that appears to run may be frozen.
bool was_renewed(const fs::path& file) {
  constexpr std::chrono::seconds kLately(10);
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - written < kLately;
}

// Returns true if a file `path`.new-* belongs to a process that has ended; if
// it is incomplete, true after an hour.
bool was_left(const fs::path& temporary) {
  try {
    const auto holder = read_holder(temporary);
    return holder && is_gone(*holder, temporary);
  } catch (const Error&) {
    // Incomplete: its process is writing it now, or was killed while it wrote.
    std::error_code error;
    const auto written = fs::last_write_time(temporary, error);
    return !error &&
        fs::file_time_type::clock::now() - written > std::chrono::hours(1);
  }
}

} // namespace

LockFile::LockFile(fs::path path, LockOptions options)
    : path_(std::move(path)),
      options_(std::move(options)),
      own_(this_process()) {
  // A turn that fails without an error means that another process made
  // progress.
  constexpr int kTurns = 1000;
  if (const auto first = read_holder(path_)) {
    first_ = first->nonce;
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    if (try_to_take()) {
      clean();
      lease_ = std::make_unique<LockLease>(path_, own_.nonce, options_.times);
      return;
    }
  }
  fail(
      ExitCode::kStorage,
      "{}: cannot be taken: it changes hands all the time",
      printable(path_.native()));
}

bool LockFile::owns(const fs::path& file) const {
  const auto holder = read_holder(file);
  return holder && holder->nonce == own_.nonce;
}

bool LockFile::try_to_take() {
  const auto holder = read_holder(path_);
  if (holder) {
    return take_from(*holder);
  }
  own_.time = sign_of_life();
  kernel_lock_ = create_lock_file(path_, own_);
  return owns(path_);
}

// To take over the lock of a dead holder, a process creates a claim file. Its
// name contains the holder's nonce, so only one process can create it; its
// owner is the next holder, and may die in turn. The process at the end of this
// chain renames its claim to the lock. A claim is valid only if the lock and
// all earlier claims still exist after it was created. Returns false if the
// lock has changed hands, or its holder has continued: the caller tries again.
bool LockFile::take_from(const LockHolder& first) {
  const Fd old(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::vector<LockHolder> chain{first};
  fs::path file = path_;
  while (true) {
    const LockHolder& last = chain.back();
    const bool at_once = takes_at_once(file, last);
    if (!at_once && !await_end(file, last)) {
      return false;
    }
    const fs::path claim = claim_on(path_, last);
    if (auto next = read_holder(claim)) {
      chain.push_back(*std::move(next));
      file = claim;
      continue;
    }
    own_.time = sign_of_life();
    kernel_lock_ = create_lock_file(claim, own_);
    const auto stands_at = [](const fs::path& at, const LockHolder& holder) {
      const auto found = read_holder(at);
      return found && found->nonce == holder.nonce;
    };
    bool stands = owns(claim) && stands_at(path_, first);
    for (std::size_t i = 1; i < chain.size(); ++i) {
      stands = stands && stands_at(claim_on(path_, chain[i - 1]), chain[i]);
    }
    // A silent holder may have continued after await_end(), for example by
    // SIGCONT; the time in its file has then changed, and it keeps the lock.
    if (stands && !at_once && !is_gone(last, file)) {
      const auto now = read_holder(file);
      stands = now && now->nonce == last.nonce && now->time == last.time;
    }
    if (!stands) {
      if (owns(claim)) {
        ::unlink(claim.c_str());
      }
      return false;
    }
    ::rename(claim.c_str(), path_.c_str());
    VITRAIN_CHECK(
        owns(path_),
        ExitCode::kStorage,
        "{}: cannot be taken over from {}",
        printable(path_.native()),
        last.text());
    before_ = last;
    if (at_once) {
      settle(old, last);
    }
    return true;
  }
}

// Returns true if the lock is taken from a holder that has not ended, without
// waiting for signs of life: with take_over, or if the holder is of the same
// job and not seen running. False if the holder is not the one that the
// constructor found.
bool LockFile::takes_at_once(const fs::path& file, const LockHolder& holder)
    const {
  return holder.nonce == first_ && !is_gone(holder, file) &&
      (options_.take_over ||
       (is_of_same_job(holder, own_) &&
        !is_running(holder, file).value_or(false)));
}

// Waits until a holder has ended, or has been silent for long enough. Returns
// false if, during the wait, the file is removed or gets another holder. Throws
// Error(kUsage) if the holder gives a sign of life, or, from an older version,
// has not ended.
bool LockFile::await_end(const fs::path& file, const LockHolder& holder) {
  reason_ = "which has ended";
  if (is_gone(holder, file)) {
    return true;
  }
  const double patience = was_rebooted(holder, own_) ? options_.times.reboot
                                                     : options_.times.silence;
  // Holders of older versions write no signs of life.
  const bool is_active = is_seen_running(holder) && was_renewed(file);
  if (holder.time.empty() || is_active) {
    refuse(holder);
  }
  options_.notice(fmt::format(
      "{}: held by {}, which may have ended where it cannot be seen from here: "
      "waiting for a sign of life, at most {:g} s (-take_over takes the run "
      "over without that)",
      printable(path_.native()),
      holder.text(),
      patience));
  double silence = 0.0;
  Stopwatch watch;
  while (silence < patience) {
    sleep_for(std::min(kLook, options_.times.refresh));
    silence += std::min(watch.restart(), kLongestLook);
    const auto now = read_holder(file);
    if (!now || now->nonce != holder.nonce) {
      return false;
    }
    if (is_gone(holder, file)) {
      return true;
    }
    if (now->time != holder.time) {
      refuse(*now);
    }
  }
  reason_ = fmt::format("which gave no sign of life for {:g} s", patience);
  return true;
}

void LockFile::refuse(const LockHolder& holder) const {
  fail(
      ExitCode::kUsage,
      "{} is in use: {} writes to it ({}{}{}). Wait for its end, or end it; if "
      "it has ended, or shall lose the run to this process: -take_over",
      printable(path_.parent_path().native()),
      holder.text(),
      printable(path_.native()),
      holder.time.empty() ? "" : ", last sign of life ",
      printable(holder.time));
}

// Waits until the former holder has ended, at most options_.times.settle, in
// which it completes a write that it began before it lost the lock. Also sets
// reason_. `old`: the replaced lock file.
void LockFile::settle(const Fd& old, const LockHolder& holder) {
  const Stopwatch watch;
  const std::string open = fmt::format("/proc/self/fd/{}", old.get());
  reason_ = fmt::format(
      "which {} alive: it stops before it writes again",
      is_running(holder, open).value_or(false) ? "was" : "may be");
  while (watch.seconds() < options_.times.settle && !is_gone(holder, open)) {
    sleep_for(std::min(kLook, options_.times.refresh));
  }
}

// Removes all other claims, whose owners check them again, and temporary files
// that were left (was_left()).
void LockFile::clean() const {
  const std::string prefix = path_.filename().native() + ".";
  const std::string own_claim = claim_on(path_, own_).filename().native();
  std::error_code error;
  std::vector<fs::path> old;
  for (fs::directory_iterator it(path_.parent_path(), error), end;
       !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().native();
    if (name.starts_with(prefix) && name != own_claim) {
      old.push_back(it->path());
    }
  }
  for (const fs::path& file : old) {
    if (file.native().find(".new-") == std::string::npos || was_left(file)) {
      ::unlink(file.c_str());
    }
  }
}

LockFile::~LockFile() {
  if (own_.pid != ::getpid()) {
    [[maybe_unused]] const LockLease* parents = lease_.release();
    return;
  }
  if (!lease_) {
    return;
  }
  try {
    const bool lost = lease_->is_lost();
    lease_.reset();
    if (!lost && owns(path_)) {
      ::unlink(path_.c_str());
    }
  } catch (const std::exception&) {
    // If removal fails, the next process takes the lock over.
  }
}

} // namespace vitrain
