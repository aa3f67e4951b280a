#include "core/files/lock_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/files/files.h"
#include "core/system/clock.h"
#include "core/system/system.h"
#include "core/text/text.h"

namespace vitrain {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSizeLimit = std::size_t{64} << 10;

std::string pid_space() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/ns/pid", ignored).native();
}

enum class Life { kRuns, kEnded, kHidden };

Life look_at(std::int64_t pid, const ProcessStatus& status) {
  if (status.state == 0) {
    const bool none = ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
    return none ? Life::kEnded : Life::kHidden;
  }
  // A zombie has ended: only its parent does not know yet.
  return status.state == 'Z' || status.state == 'X' ? Life::kEnded
                                                    : Life::kRuns;
}

LockHolder holder_of(const std::string& text, const fs::path& path) {
  try {
    return Json::parse(text).get<LockHolder>();
  } catch (const Json::exception&) {
    fail(
        ExitCode::kUsage,
        "{}: is in the place of a lock and is none, so that nobody can say who "
        "writes to this folder: remove it if no run does",
        printable(path.native()));
  }
}

// The holder that a lock file names; none where there is no file.
std::optional<LockHolder> read_holder(const fs::path& path) {
  std::error_code error;
  if (fs::symlink_status(path, error).type() == fs::file_type::not_found) {
    return std::nullopt;
  }
  std::string text;
  try {
    text = read_file(path, kSizeLimit, ExitCode::kStorage);
  } catch (const Error&) {
    if (fs::symlink_status(path, error).type() == fs::file_type::not_found) {
      return std::nullopt; // released in this moment
    }
    throw;
  }
  return holder_of(text, path);
}

fs::path with(const fs::path& path, const std::string& suffix) {
  return path.native() + suffix;
}

// The claim to a lock that `holder` has left behind.
fs::path claim_on(const fs::path& path, const LockHolder& holder) {
  return with(path, ".after-" + holder.nonce);
}

// Creates a file with its content by whatever the file system offers that
// cannot replace another. Returns 0 or an errno.
int create_exclusively(
    const fs::path& temporary,
    const fs::path& path,
    const std::string& text) {
  const auto unknown = [] {
    return errno == EPERM || errno == EINVAL || errno == ENOSYS ||
        errno == EOPNOTSUPP;
  };
  if (::link(temporary.c_str(), path.c_str()) == 0) {
    return 0;
  }
  if (!unknown()) {
    return errno;
  }
  if (::renameat2(
          AT_FDCWD,
          temporary.c_str(),
          AT_FDCWD,
          path.c_str(),
          RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (!unknown()) {
    return errno;
  }
  const Fd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  return fd ? write_all(fd.get(), text.data(), text.size()) : errno;
}

void write_file(const fs::path& path, const std::string& text) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  const int error = fd ? write_durably(std::move(fd), text) : errno;
  if (error != 0) {
    ::unlink(path.c_str());
    fail(
        ExitCode::kStorage,
        "{}: cannot write: {}",
        printable(path.native()),
        error_text(error));
  }
}

// Gives a complete file its name, where nobody has that. Whether the call says
// that it has worked does not matter: over NFS an answer can be lost, and the
// file is there all the same.
void create_whole(const fs::path& path, const LockHolder& own) {
  const fs::path temporary = with(path, ".new-" + own.nonce);
  const std::string text = Json(own).dump(2) + "\n";
  write_file(temporary, text);
  const int error = create_exclusively(temporary, path, text);
  ::unlink(temporary.c_str());
  VITRAIN_CHECK(
      error == 0 || error == EEXIST || fs::exists(fs::symlink_status(path)),
      ExitCode::kStorage,
      "{}: cannot create: {}",
      printable(path.native()),
      error_text(error));
}

// Whether a file is one of create_whole() whose process has ended.
bool was_left(const fs::path& temporary) {
  try {
    const auto holder = read_holder(temporary);
    return holder && is_gone(*holder);
  } catch (const Error&) {
    // Half written: by a process that does it now, or was killed then.
    std::error_code error;
    const auto written = fs::last_write_time(temporary, error);
    return !error &&
        fs::file_time_type::clock::now() - written > std::chrono::hours(1);
  }
}

} // namespace

std::string LockHolder::text() const {
  return fmt::format(
      "pid {} on host {} since {}", pid, printable(host), printable(since));
}

LockHolder this_process() {
  std::random_device random;
  return {
      .host = host_name(),
      .machine = first_line("/etc/machine-id"),
      .boot = first_line("/proc/sys/kernel/random/boot_id"),
      .pid_space = pid_space(),
      .pid = ::getpid(),
      .start = static_cast<std::int64_t>(status_of(::getpid()).start_time),
      .since = local_time("%Y-%m-%d %H:%M:%S"),
      .nonce = fmt::format("{:08x}{:08x}", random(), random())};
}

bool is_gone(const LockHolder& holder) {
  const LockHolder own = this_process();
  if (holder.host != own.host || holder.machine != own.machine) {
    return false;
  }
  if (holder.boot != own.boot) {
    return !own.boot.empty() && !holder.boot.empty();
  }
  if (holder.pid_space != own.pid_space || holder.pid <= 0) {
    return false; // pids of a container mean nothing here
  }
  const ProcessStatus status = status_of(static_cast<pid_t>(holder.pid));
  const Life life = look_at(holder.pid, status);
  return life == Life::kEnded ||
      (life == Life::kRuns &&
       static_cast<std::int64_t>(status.start_time) != holder.start);
}

LockFile::LockFile(std::filesystem::path path)
    : path_(std::move(path)), own_(this_process()) {
  // Each turn that fails without an error has seen another process's progress.
  constexpr int kTurns = 1000;
  for (int turn = 0; turn < kTurns; ++turn) {
    if (try_to_take()) {
      clean();
      return;
    }
  }
  fail(
      ExitCode::kStorage,
      "{}: cannot be taken: it changes hands all the time",
      printable(path_.native()));
}

bool LockFile::try_to_take() {
  const auto holder = read_holder(path_);
  if (!holder) {
    create_whole(path_, own_);
    return read_holder(path_) == own_;
  }
  return take_from(*holder);
}

// The claim on the lock of a holder that is gone is a file that exists once,
// since its name has the holder's nonce; its owner is the next holder, and may
// be gone in turn. The one at the end of that chain puts its claim into the
// lock's place. A claim counts only where the lock and all claims before it are
// still there after it was made: one that came too late is void.
bool LockFile::take_from(const LockHolder& first) {
  std::vector<LockHolder> chain{first};
  while (true) {
    const LockHolder& last = chain.back();
    VITRAIN_CHECK(
        is_gone(last),
        ExitCode::kUsage,
        "{} is in use: {} writes to it ({}). Wait for its end, or end it; if "
        "it is gone, which cannot be seen from here, remove that file",
        printable(path_.parent_path().native()),
        last.text(),
        printable(path_.native()));
    const fs::path claim = claim_on(path_, last);
    if (auto next = read_holder(claim)) {
      chain.push_back(*std::move(next));
      continue;
    }
    create_whole(claim, own_);
    bool stands = read_holder(claim) == own_ && read_holder(path_) == first;
    for (std::size_t i = 1; i < chain.size(); ++i) {
      stands = stands && read_holder(claim_on(path_, chain[i - 1])) == chain[i];
    }
    if (!stands) {
      if (read_holder(claim) == own_) {
        ::unlink(claim.c_str());
      }
      return false;
    }
    ::rename(claim.c_str(), path_.c_str());
    VITRAIN_CHECK(
        read_holder(path_) == own_,
        ExitCode::kStorage,
        "{}: cannot be taken over from {}",
        printable(path_.native()),
        last.text());
    before_ = last;
    return true;
  }
}

// Claims on locks of the past are void, which their owners see when they look
// again; and what processes left behind that ended while they made one is
// nobody's.
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
    return;
  }
  try {
    if (read_holder(path_) == own_) {
      ::unlink(path_.c_str());
    }
  } catch (const std::exception&) {
    // What stays is taken over by the next process.
  }
}

} // namespace vitrain
