#include "results/files/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "core/check.h"
#include "core/text/text.h"

namespace vitrain::results {

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
  if (path == "-") {
    fd_ = Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    check(fd_ ? 0 : errno, "write to standard output");
    return;
  }
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  if (type == std::filesystem::file_type::not_found ||
      type == std::filesystem::file_type::regular) {
    part_ = path.native() + ".part";
  } else {
    flags = O_WRONLY | O_CLOEXEC;
  }
  fd_ = Fd(::open((part_.empty() ? path_ : part_).c_str(), flags, 0666));
  check(fd_ ? 0 : errno, "write it");
}

OutputFile::~OutputFile() {
  if (!part_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
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
  std::filesystem::rename(part_, path_, error);
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

void check_replaceable(
    const char* option,
    const std::filesystem::path& path,
    const char* what,
    const std::function<bool(std::string_view start)>& is_one) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) ||
      std::filesystem::file_size(path, error) == 0) {
    return;
  }
  constexpr std::size_t kStart = 256;
  std::string start(kStart, '\0');
  std::ifstream file(path, std::ios::binary);
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
