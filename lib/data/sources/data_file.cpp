#include "data/sources/data_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/check.h"
#include "core/system/missing_path.h"
#include "core/text.h"

namespace vitrain::data {

namespace fs = std::filesystem;

DataFile::DataFile(
    const fs::path& path,
    std::string_view before_reason,
    std::string_view use)
    // O_NONBLOCK: opening a FIFO without a writer must not hang.
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
      name_(printable(path.native())) {
  VITRAIN_CHECK_DATA(
      fd_, "{}: {}{}", name_, before_reason, path_error_text(path, errno));
  struct stat status {};
  VITRAIN_CHECK_DATA(
      ::fstat(fd_.get(), &status) == 0 && S_ISREG(status.st_mode),
      "{}: is not a regular file{}{}",
      name_,
      use.empty() ? "" : "; ",
      use);
  size_ = status.st_size;
}

std::size_t DataFile::read_at(std::int64_t offset, std::span<char> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(
        fd_.get(),
        into.data() + done,
        into.size() - done,
        offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    VITRAIN_CHECK_DATA(got >= 0, "{}: {}", name_, error_text(errno));
    if (got == 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::vector<std::string> names_in_folder(
    const fs::path& folder,
    std::string_view what,
    const std::function<bool(const std::string& name)>& wanted) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    std::string name = entries->path().filename().native();
    if (wanted(name)) {
      names.push_back(std::move(name));
    }
  }
  VITRAIN_CHECK_DATA(
      !error,
      "{}: cannot read the {}: {}",
      printable(folder.native()),
      what,
      error.message());
  std::ranges::sort(names);
  return names;
}

} // namespace vitrain::data
