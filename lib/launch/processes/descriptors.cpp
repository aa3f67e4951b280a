#include "launch/processes/descriptors.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "core/check.h"

namespace vitrain::launch {
namespace {

// MFD_NOEXEC_SEAL, which the headers of glibc 2.36 lack. Linux before 6.3
// refuses it with EINVAL; machines that set vm.memfd_noexec require it.
constexpr unsigned kNoExecSeal = 0x0008U;

Fd create_memfd(const std::string& name) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  Fd fd(::memfd_create(name.c_str(), kFlags | kNoExecSeal));
  if (!fd && errno == EINVAL) {
    fd = Fd(::memfd_create(name.c_str(), kFlags));
  }
  VITRAIN_CHECK(
      fd,
      ExitCode::kInternal,
      "cannot create a file in memory ({}): {}",
      name,
      error_text(errno));
  return above_standard_streams(std::move(fd));
}

} // namespace

void open_missing_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      // open() returns the lowest free number, which is this one.
      // Writing fails, so that lost output is reported.
      [[maybe_unused]] const int opened = ::open("/dev/null", O_RDONLY);
    }
  }
}

Fd above_standard_streams(Fd fd) {
  if (fd.get() > 2) {
    return fd;
  }
  Fd moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
  VITRAIN_CHECK(
      moved,
      ExitCode::kInternal,
      "cannot duplicate file descriptor {}: {}",
      fd.get(),
      error_text(errno));
  return moved;
}

Fd duplicate_or_null(int fd) {
  Fd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy) {
    copy = above_standard_streams(Fd(::open("/dev/null", O_RDWR | O_CLOEXEC)));
  }
  return copy;
}

Pipe make_pipe(const char* child) {
  int ends[2] = {-1, -1};
  VITRAIN_CHECK(
      ::pipe2(ends, O_CLOEXEC) == 0,
      ExitCode::kUsage,
      "cannot start {}: {}",
      child,
      error_text(errno));
  return {
      .read = above_standard_streams(Fd(ends[0])),
      .write = above_standard_streams(Fd(ends[1]))};
}

void write_ready(int fd, std::string_view text) {
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  // Bytes that certainly fit if poll() reports that `fd` is writable. A
  // terminal writes two characters for a newline, and has a buffer of 256.
  const std::size_t piece = known && S_ISREG(status.st_mode) ? text.size()
      : known && S_ISFIFO(status.st_mode)                    ? PIPE_BUF
                                                             : 128;
  while (!text.empty()) {
    pollfd output{.fd = fd, .events = POLLOUT, .revents = 0};
    if (::poll(&output, 1, /*timeout=*/0) != 1) {
      return;
    }
    const ssize_t written =
        ::write(fd, text.data(), std::min(piece, text.size()));
    if (written <= 0) {
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void set_close_on_exec(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFD);
  VITRAIN_CHECK(
      flags >= 0 &&
          ::fcntl(fd, F_SETFD, on ? flags | FD_CLOEXEC : flags & ~FD_CLOEXEC) ==
              0,
      ExitCode::kInternal,
      "file descriptor {}: {}",
      fd,
      error_text(errno));
}

Fd make_memfd(const std::string& name, std::string_view bytes) {
  Fd fd = create_memfd(name);
  const int error = write_all(fd.get(), bytes.data(), bytes.size());
  VITRAIN_CHECK(
      error == 0,
      error == ENOSPC || error == ENOMEM ? ExitCode::kOutOfMemory
                                         : ExitCode::kInternal,
      "cannot write {} bytes to a file in memory ({}): {}",
      bytes.size(),
      name,
      error_text(error));
  // For programs that read from the current position.
  ::lseek(fd.get(), 0, SEEK_SET);
  constexpr int kSeals =
      F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  VITRAIN_CHECK(
      ::fcntl(fd.get(), F_ADD_SEALS, kSeals) == 0,
      ExitCode::kInternal,
      "cannot seal a file in memory ({}): {}",
      name,
      error_text(errno));
  return fd;
}

Fd make_shared_memory(const std::string& name, std::size_t size) {
  Fd fd = create_memfd(name);
  // The size is sealed: otherwise a process could shrink the file, which would
  // cause SIGBUS in all processes that map it.
  VITRAIN_CHECK(
      ::ftruncate(fd.get(), static_cast<off_t>(size)) == 0 &&
          ::fcntl(
              fd.get(),
              F_ADD_SEALS,
              F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0,
      ExitCode::kInternal,
      "cannot create {} bytes of shared memory ({}): {}",
      size,
      name,
      error_text(errno));
  return fd;
}

Mapping::Mapping(int fd, Access access) {
  struct stat status {};
  VITRAIN_CHECK(
      ::fstat(fd, &status) == 0,
      ExitCode::kInternal,
      "cannot map file descriptor {}: {}",
      fd,
      error_text(errno));
  if (status.st_size == 0) {
    return; // mmap refuses empty files
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  // Private for reading: before Linux 6.7, a shared mapping of a write-sealed
  // file is refused.
  const bool writes = access == Access::kWrite;
  void* address = ::mmap(
      nullptr,
      size,
      writes ? PROT_READ | PROT_WRITE : PROT_READ,
      writes ? MAP_SHARED : MAP_PRIVATE,
      fd,
      0);
  VITRAIN_CHECK(
      address != MAP_FAILED,
      ExitCode::kInternal,
      "cannot map file descriptor {} ({} bytes): {}",
      fd,
      size,
      error_text(errno));
  memory_ = {address, Unmap{size}};
}

void Unmap::operator()(void* address) const {
  ::munmap(address, size);
}

} // namespace vitrain::launch
