#include "checkpoint/folder.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "checkpoint/find.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::checkpoint {
namespace {

namespace fs = std::filesystem;

struct Temporary {
  fs::path path;
  pid_t owner;
};

std::vector<Temporary> temporaries_in(const fs::path& folder) {
  std::vector<Temporary> all;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (const auto owner = temporary_owner(it->path().filename().native())) {
      all.push_back({it->path(), static_cast<pid_t>(*owner)});
    }
  }
  return all;
}

double bytes_in(const fs::path& folder) {
  double bytes = 0.0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) {
      bytes += static_cast<double>(it->file_size(ignored));
    }
  }
  return bytes;
}

// Returns an unused name for moving a folder aside.
fs::path name_aside(const fs::path& path) {
  for (int number = 1;; ++number) {
    fs::path aside = path.native() + fmt::format(".folder-{}", number);
    if (!fs::exists(fs::symlink_status(aside))) {
      return aside;
    }
  }
}

} // namespace

std::optional<std::int64_t> temporary_owner(const std::string& name) {
  const std::size_t at = name.rfind(kTemporary);
  std::int64_t pid = 0;
  if (at == std::string::npos ||
      !parse_int(std::string_view(name).substr(at + kTemporary.size()), pid) ||
      pid <= 0) {
    return std::nullopt;
  }
  const std::string base = name.substr(0, at);
  bool ours = base == kLatest || base == kBest;
  if (base.starts_with('.')) {
    const std::size_t skip = base.compare(1, kReplaced.size(), kReplaced) == 0
        ? kReplaced.size()
        : 0;
    ours = folder_step(base.substr(1 + skip)).has_value();
  }
  return ours ? std::optional(pid) : std::nullopt;
}

std::string read_pointer(const fs::path& pointer) {
  std::error_code error;
  const fs::path target = fs::read_symlink(pointer, error);
  if (!error) {
    return target.native();
  }
  constexpr std::size_t kLimit = 4096; // bytes
  return std::string(trim(read_file(pointer, kLimit, ExitCode::kStorage)));
}

void remove_stale(const fs::path& folder) {
  for (const auto& [path, owner] : temporaries_in(folder)) {
    std::error_code ignored;
    if (owner == ::getpid() || (::kill(owner, 0) != 0 && errno == ESRCH)) {
      fs::remove_all(path, ignored);
    }
  }
}

Leftovers remove_leftovers(const fs::path& folder) {
  Leftovers found;
  for (const auto& [path, owner] : temporaries_in(folder)) {
    std::error_code ignored;
    if (fs::is_directory(fs::symlink_status(path, ignored))) {
      ++found.folders;
      found.bytes += bytes_in(path);
    }
    fs::remove_all(path, ignored);
  }
  return found;
}

std::vector<std::string> repair_pointers(const fs::path& folder) {
  std::vector<std::string> told;
  for (const char* name : {kLatest, kBest}) {
    const fs::path path = folder / name;
    std::error_code error;
    if (fs::symlink_status(path, error).type() != fs::file_type::directory) {
      continue;
    }
    const std::string shown = printable(path.native());
    if (::rmdir(path.c_str()) == 0) {
      told.push_back(fmt::format(
          "{} was an empty folder where a file names a checkpoint: removed",
          shown));
      continue;
    }
    const fs::path aside = name_aside(path);
    VITRAIN_CHECK(
        ::rename(path.c_str(), aside.c_str()) == 0,
        ExitCode::kStorage,
        "{}: is a folder where a file names a checkpoint, and cannot be "
        "renamed: {}",
        shown,
        error_text(errno));
    told.push_back(fmt::format(
        "{} was a folder where a file names a checkpoint: it is {} now",
        shown,
        printable(aside.filename().native())));
  }
  return told;
}

} // namespace vitrain::checkpoint
