#include "faults.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <map>
#include <utility>

namespace vitrain::faults {
namespace {

using Inode = std::pair<dev_t, ino_t>;

Mode mode = Mode::kOff;
int target = 0;
int failure = 0;
int count = 0;
bool no_exchange = false;
bool no_removal = false;
std::map<Inode, std::string> dirty;
std::string complaint;

// Whether the operation shall fail; errno is set then.
bool strike() {
  if (mode == Mode::kOff) {
    return false;
  }
  const bool hit = count++ == target;
  if (hit && mode == Mode::kCrash) {
    ::syscall(SYS_exit_group, kCrashExit);
  }
  if (hit && mode == Mode::kFail) {
    errno = failure;
    return true;
  }
  return false;
}

void mark(int fd, const std::string& path) {
  struct stat status {};
  if (mode == Mode::kCount && ::fstat(fd, &status) == 0) {
    dirty[{status.st_dev, status.st_ino}] = path;
  }
}

void mark_folder_of(const char* path) {
  struct stat status {};
  const auto folder = std::filesystem::path(path).parent_path();
  if (mode == Mode::kCount && ::stat(folder.c_str(), &status) == 0) {
    dirty[{status.st_dev, status.st_ino}] = folder;
  }
}

void complain_if_dirty(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 &&
      dirty.contains({status.st_dev, status.st_ino})) {
    complaint += path.native() + " renamed before it was synced\n";
  }
}

void check_rename(const char* from) {
  if (mode != Mode::kCount) {
    return;
  }
  complain_if_dirty(from);
  std::error_code error;
  for (std::filesystem::directory_iterator it(from, error), end;
       !error && it != end;
       it.increment(error)) {
    complain_if_dirty(it->path());
  }
}

long rename_at(const char* from, const char* to, unsigned flags) {
  if (strike()) {
    return -1;
  }
  check_rename(from);
  const long result =
      ::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
  if (result == 0) {
    mark_folder_of(to);
  }
  return result;
}

} // namespace

void arm(Mode new_mode, int n, int error) {
  mode = new_mode;
  target = n;
  failure = error;
  count = 0;
  dirty.clear();
  complaint.clear();
}

int disarm() {
  mode = Mode::kOff;
  return count;
}

void refuse_exchange(bool refuse) {
  no_exchange = refuse;
}

void refuse_removal(bool refuse) {
  no_removal = refuse;
}

std::string undurable() {
  std::string all = complaint;
  for (const auto& [inode, path] : dirty) {
    if (std::filesystem::exists(path)) {
      all += path + " was never synced\n";
    }
  }
  return all;
}

} // namespace vitrain::faults

using vitrain::faults::Mode;
namespace faults = vitrain::faults;

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t permissions = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    permissions = static_cast<mode_t>(va_arg(arguments, int));
    va_end(arguments);
    if (faults::strike()) {
      return -1;
    }
  }
  const int fd = static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, path, flags, permissions));
  if (fd >= 0 && (flags & O_CREAT) != 0) {
    faults::mark_folder_of(path);
  }
  return fd;
}

ssize_t write(int fd, const void* bytes, size_t size) {
  if (faults::strike()) {
    return -1;
  }
  if (faults::mode == Mode::kShort) {
    size = (size + 1) / 2;
  }
  faults::mark(fd, "a file");
  return ::syscall(SYS_write, fd, bytes, size);
}

int fsync(int fd) {
  if (faults::strike()) {
    return -1;
  }
  struct stat status {};
  if (::fstat(fd, &status) == 0) {
    faults::dirty.erase({status.st_dev, status.st_ino});
  }
  return 0; // noted, not done: processes end here, the machine does not
}

int close(int fd) {
  const bool fails = faults::strike();
  const int error = errno;
  const int result = static_cast<int>(::syscall(SYS_close, fd));
  if (fails) {
    errno = error;
    return -1;
  }
  return result;
}

int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(faults::rename_at(from, to, 0));
}

int renameat2(
    int /*from_folder*/,
    const char* from,
    int /*to_folder*/,
    const char* to,
    unsigned flags) noexcept {
  if (faults::no_exchange && (flags & RENAME_EXCHANGE) != 0) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(faults::rename_at(from, to, flags));
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  if (faults::no_removal) {
    errno = EACCES;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_unlinkat, folder, path, flags));
}

int mkdir(const char* path, mode_t permissions) noexcept {
  if (faults::strike()) {
    return -1;
  }
  return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, permissions));
}

} // extern "C"
