#include "results/output_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::results {
namespace {

namespace fs = std::filesystem;

bool is_standard_output(const fs::path& path) {
  return path == "-";
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// True if the folder of `path`, with links followed (/dev/fd), is in /proc.
// Links in it lead to open files, whatever the names of these files are now.
bool is_in_proc(const fs::path& path) {
  struct statfs status {};
  return ::statfs(folder_of(path).c_str(), &status) == 0 &&
      status.f_type == PROC_SUPER_MAGIC;
}

// Follows the path while it is a symbolic link, whether or not the target
// exists. Does not follow links of /proc.
fs::path follow_links(fs::path path) {
  constexpr int kMostLinks = 40; // limit of Linux
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (!fs::is_symlink(fs::symlink_status(path, error)) || is_in_proc(path)) {
      break;
    }
    const fs::path next = fs::read_symlink(path, error);
    if (error) {
      break;
    }
    path = path.parent_path() / next;
  }
  return path;
}

// True if the resolved target is replaced by a new file, false if it is written
// in place.
bool is_replaced(const fs::path& target) {
  std::error_code ignored;
  const fs::file_type type = fs::status(target, ignored).type();
  return !target.empty() && !is_in_proc(target) &&
      (type == fs::file_type::not_found || type == fs::file_type::regular);
}

// Opens a target that is written in place. An open file of this process is
// duplicated, which keeps its position; opening it again would write from its
// start.
Fd open_as_it_is(const fs::path& target) {
  if (!is_in_proc(target)) {
    return Fd(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
  }
  std::error_code ignored;
  std::int64_t number = -1;
  if (fs::canonical(folder_of(target), ignored) ==
          fs::canonical("/proc/self/fd", ignored) &&
      parse_int(target.filename().native(), number)) {
    return Fd(::fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 3));
  }
  return Fd(::open(target.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
}

} // namespace

OutputFile::OutputFile(const fs::path& path)
    : path_(path), target_(follow_links(path)) {
  if (is_standard_output(path)) {
    fd_ = Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    check(fd_ ? 0 : errno, "write to standard output");
    return;
  }
  fd_ = is_replaced(target_) ? create_part(target_, part_)
                             : open_as_it_is(target_);
  check(fd_ ? 0 : errno, "be written");
}

OutputFile::~OutputFile() {
  if (!part_.empty()) {
    std::error_code ignored;
    fs::remove(part_, ignored);
  }
}

void OutputFile::write(std::string_view bytes) {
  check(write_all(fd_.get(), bytes.data(), bytes.size()), "write it");
}

void OutputFile::finish() {
  if (part_.empty()) {
    fd_.reset();
    return;
  }
  check(::fsync(fd_.get()) == 0 ? 0 : errno, "sync it");
  fd_.reset();
  std::error_code error;
  fs::rename(part_, target_, error);
  check(error.value(), "name it");
  part_.clear();
}

void OutputFile::check(int error, const char* what) const {
  VITRAIN_CHECK(
      error == 0,
      ExitCode::kStorage,
      "{}: cannot {}: {}",
      printable(path_.native()),
      what,
      error_text(error));
}

std::optional<fs::path> replaced_file(const fs::path& path) {
  std::error_code ignored;
  const fs::path target = follow_links(path);
  const bool is_file = !is_standard_output(path) && is_replaced(target) &&
      fs::is_regular_file(target, ignored);
  return is_file ? std::optional(target) : std::nullopt;
}

bool is_same_output(const fs::path& one, const fs::path& other) {
  if (is_standard_output(one) || is_standard_output(other)) {
    return one == other;
  }
  const auto place_of = [](const fs::path& path) {
    std::error_code error;
    const fs::path target = fs::absolute(follow_links(path), error);
    const fs::path known = fs::weakly_canonical(target, error);
    return error ? target.lexically_normal() : known;
  };
  return place_of(one) == place_of(other);
}

void check_replaceable(
    const char* option,
    const fs::path& path,
    const char* what,
    const std::function<bool(std::string_view start)>& is_one) {
  std::error_code error;
  const auto replaced = replaced_file(path);
  if (!replaced || fs::file_size(*replaced, error) == 0) {
    return;
  }
  constexpr std::size_t kStart = std::size_t{64} << 10;
  std::string start(kStart, '\0');
  std::ifstream file(*replaced, std::ios::binary);
  file.read(start.data(), std::ssize(start));
  start.resize(static_cast<std::size_t>(file.gcount()));
  VITRAIN_CHECK(
      is_one(start),
      ExitCode::kUsage,
      "{} {}: a file is there already that is not {}: remove it, or give "
      "another name",
      option,
      printable(path.native()),
      what);
}

} // namespace vitrain::results
