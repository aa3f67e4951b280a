#include "core/system/lock_lease.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "core/check.h"
#include "core/system/files.h"
#include "core/system/stacks.h"
#include "core/text.h"

namespace vitrain {
namespace {

namespace fs = std::filesystem;

// Seconds since boot, including those during which the machine was suspended.
double boot_time() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) +
      static_cast<double>(now.tv_nsec) * 1e-9;
}

// Returns the holder that an open lock file names; nullopt if the file is not a
// lock.
std::optional<LockHolder> holder_in(int fd) {
  std::string text(kLockSizeLimit, '\0');
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    return json.get<LockHolder>();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

} // namespace

LockLease::LockLease(fs::path path, std::string nonce, const LockTimes& times)
    : path_(std::move(path)),
      nonce_(std::move(nonce)),
      times_(times),
      seen_(boot_time()) {
  look(/*renews=*/true);
  const BlockedSignals blocked; // signals go to other threads
  thread_ = std::thread([this] { work(); });
}

LockLease::~LockLease() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void LockLease::work() {
  std::unique_lock lock(mutex_);
  while (!ending_ && !is_lost_) {
    wake_.wait_for(lock, std::chrono::duration<double>(times_.refresh), [this] {
      return ending_;
    });
    if (!ending_) {
      lock.unlock();
      look(/*renews=*/true);
      lock.lock();
    }
  }
}

bool LockLease::is_lost() {
  look(/*renews=*/false);
  return is_lost_;
}

void LockLease::check() {
  look(/*renews=*/false);
  check_seen();
}

void LockLease::check_seen() const {
  VITRAIN_CHECK(!is_lost_, ExitCode::kStorage, "{}", lost_);
}

void LockLease::look(bool renews) {
  const std::lock_guard lock(refreshing_);
  if (is_lost_) {
    return;
  }
  // Read the clock before the file: if the process is suspended after reading,
  // the content that it has read becomes old.
  const double now = boot_time();
  const Fd fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!fd && errno != ENOENT) {
    // The storage cannot be reached; until it can, no other process takes over
    // there.
    return;
  }
  std::optional<LockHolder> holder = fd ? holder_in(fd.get()) : restored();
  if (!holder && last_.nonce == nonce_) {
    // Damaged; a process that takes over puts a complete file there.
    holder = last_;
  }
  if (!holder || holder->nonce != nonce_) {
    lost_ = fmt::format(
        "{}: {} has taken the run over, so that this process writes nothing "
        "more there; its last look at the file was {:.0f} s ago (if more than "
        "{:g} s: it was stopped, suspended or cut off from its storage)",
        printable(path_.native()),
        holder ? holder->text() : "an unknown process",
        now - seen_,
        2.0 * times_.refresh);
    is_lost_ = true;
    return;
  }
  seen_ = now;
  last_ = *holder;
  if (!renews) {
    return;
  }
  last_.time = sign_of_life();
  if (kernel_lock_) {
    // This process locks the file, not the holder: the lock proves nothing.
    last_.device = 0;
  }
  // Overwrite this file, since the kernel lock is on it. If another process has
  // replaced it since, the write goes to a file without a name.
  const std::string text = lock_text(last_);
  if (fd &&
      ::pwrite(fd.get(), text.data(), text.size(), 0) ==
          static_cast<ssize_t>(text.size())) {
    [[maybe_unused]] const int cut =
        ::ftruncate(fd.get(), static_cast<off_t>(text.size()));
  }
}

std::optional<LockHolder> LockLease::restored() {
  if (last_.nonce != nonce_) {
    return std::nullopt; // this object has never seen the file
  }
  try {
    Fd locked = create_lock_file(path_, last_);
    auto holder = read_holder(path_);
    if (holder && holder->nonce == nonce_) {
      kernel_lock_ = std::move(locked);
    }
    return holder;
  } catch (const Error&) {
    return last_; // treat as present: the next look() decides
  }
}

} // namespace vitrain
