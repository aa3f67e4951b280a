#include "core/system/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <random>
#include <system_error>

#include "core/check.h"
#include "core/system/missing_path.h"
#include "core/text.h"

namespace vitrain {

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Fd::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

void Fd::reset() {
  if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

std::string error_text(int error_number) {
  return std::generic_category().message(error_number);
}

std::string
read_file(const std::filesystem::path& path, std::size_t limit, ExitCode code) {
  struct stat status {};
  VITRAIN_CHECK(
      ::stat(path.c_str(), &status) == 0,
      code,
      "{}: {}",
      printable(path.native()),
      path_error_text(path, errno));
  std::string bytes;
  read_file(path, limit, code, bytes);
  return bytes;
}

void read_file(
    const std::filesystem::path& path,
    std::size_t limit,
    ExitCode code,
    std::string& bytes) {
  const std::string name = printable(path.native());
  // O_NONBLOCK: opening a FIFO without a writer must not hang.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  VITRAIN_CHECK(fd, code, "{}: {}", name, error_text(errno));
  struct stat status {};
  VITRAIN_CHECK(
      ::fstat(fd.get(), &status) == 0, code, "{}: {}", name, error_text(errno));
  VITRAIN_CHECK(
      S_ISREG(status.st_mode),
      code,
      "{}: is {}, not a regular file",
      name,
      S_ISDIR(status.st_mode) ? "a directory" : "a device, FIFO or socket");
  VITRAIN_CHECK(
      static_cast<std::size_t>(status.st_size) <= limit,
      code,
      "{}: {} is more than the limit of {}",
      name,
      human_bytes(static_cast<double>(status.st_size)),
      human_bytes(static_cast<double>(limit)));
  bytes.resize(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::read(fd.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    VITRAIN_CHECK(got >= 0, code, "{}: {}", name, error_text(errno));
    if (got == 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
}

bool wait_for_events(int fd, short events, double seconds) {
  pollfd waiting{.fd = fd, .events = events, .revents = 0};
  return ::poll(&waiting, 1, static_cast<int>(std::ceil(seconds * 1e3))) > 0;
}

int write_all(int fd, const void* bytes, std::size_t size) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(fd, next, size);
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno;
    }
    next += written;
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

int write_durably(Fd fd, std::string_view bytes) {
  int error = write_all(fd.get(), bytes.data(), bytes.size());
  if (error == 0 && ::fsync(fd.get()) != 0) {
    error = errno;
  }
  // close can report a delayed write error (NFS), so it is checked too.
  if (::close(fd.release()) != 0 && error == 0) {
    error = errno;
  }
  return error;
}

Fd create_part(const std::filesystem::path& path, std::filesystem::path& part) {
  std::random_device random;
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    part = fmt::format("{}.part-{:08x}", path.native(), random());
    Fd fd(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd || errno != EEXIST) {
      return fd;
    }
  }
  errno = EEXIST;
  return Fd();
}

void sync_folder(const std::filesystem::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  VITRAIN_CHECK(
      fd && ::fsync(fd.get()) == 0,
      ExitCode::kStorage,
      "{}: cannot sync the folder: {}",
      printable(path.native()),
      error_text(errno));
}

void write_file_atomically(
    const std::filesystem::path& path,
    std::string_view bytes) {
  const std::string temporary =
      fmt::format("{}.tmp-{}", path.native(), ::getpid());
  Fd fd(::open(
      temporary.c_str(),
      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
      0666));
  VITRAIN_CHECK(
      fd,
      ExitCode::kStorage,
      "{}: cannot create: {}",
      printable(path.native()), // the temporary name would not help the user
      error_text(errno));
  int error = write_durably(std::move(fd), bytes);
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(
        ExitCode::kStorage,
        "{}: cannot write: {}",
        printable(path.native()),
        error_text(error));
  }
  const std::filesystem::path folder = path.parent_path();
  sync_folder(folder.empty() ? "." : folder);
}

void make_folders(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  VITRAIN_CHECK(
      !error && std::filesystem::is_directory(path),
      ExitCode::kStorage,
      "{}: cannot create the folder: {}",
      printable(path.native()),
      error ? error.message() : "a file of that name is in the way");
}

std::filesystem::path executable_path() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

std::filesystem::path program_path() {
  std::filesystem::path path = executable_path();
  if (path.filename() == kProgramWithTorch) {
    path.replace_filename("vitrain");
  }
  return path;
}

} // namespace vitrain
