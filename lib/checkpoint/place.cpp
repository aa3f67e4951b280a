#include "checkpoint/place.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include "checkpoint/find.h"
#include "checkpoint/folder.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::checkpoint {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot(const char* what, const fs::path& path, int error) {
  fail(
      ExitCode::kStorage,
      "checkpoint: cannot {} {}: {}",
      what,
      printable(path.native()),
      error_text(error));
}

// Temporary folder, deleted with its content unless it is renamed to its final
// name.
class TemporaryFolder {
 public:
  TemporaryFolder(const fs::path& parent, const std::string& name)
      : path_(parent / temporary_name(name)) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    // Default permissions: the umask decides who may read a run.
    if (::mkdir(path_.c_str(), 0777) != 0) {
      cannot("create", path_, errno);
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

  static std::string temporary_name(const std::string& name) {
    return fmt::format(".{}{}{}", name, kTemporary, ::getpid());
  }

 private:
  fs::path path_;
};

// Renames a complete folder to its final name. An existing folder of that name
// is exchanged atomically, so that one of them exists at any instant.
void put_in_place(const fs::path& temporary, const fs::path& target) {
  if (::rename(temporary.c_str(), target.c_str()) == 0) {
    return;
  }
  if (errno != ENOTEMPTY && errno != EEXIST) {
    cannot("rename to", target, errno);
  }
  if (::renameat2(
          AT_FDCWD,
          temporary.c_str(),
          AT_FDCWD,
          target.c_str(),
          RENAME_EXCHANGE) == 0) {
    return;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    cannot("rename to", target, errno);
  }
  // The file system cannot exchange: the older folder is briefly renamed.
  const fs::path room =
      target.parent_path() /
      TemporaryFolder::temporary_name(
          std::string(kReplaced) + target.filename().native());
  if (::rename(target.c_str(), room.c_str()) != 0) {
    cannot("rename", target, errno);
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const int error = errno;
    ::rename(room.c_str(), target.c_str());
    cannot("rename to", target, error);
  }
  std::error_code ignored;
  fs::remove_all(room, ignored);
}

// Removes a checkpoint. Renames it first, so that a partly removed one is never
// taken for a complete one. Returns the reason of a failure, or "".
std::string remove_checkpoint(const fs::path& path) {
  const fs::path doomed = path.parent_path() /
      TemporaryFolder::temporary_name(path.filename().native());
  if (::rename(path.c_str(), doomed.c_str()) != 0) {
    return error_text(errno);
  }
  std::error_code error;
  fs::remove_all(doomed, error);
  return error ? error.message() : "";
}

// Returns the checkpoints with a readable manifest; others are ignored.
// Checkpoints evaluated by another metric get no value.
std::vector<Candidate> candidates_in(
    const fs::path& folder,
    const std::string& metric_name) {
  std::vector<Candidate> candidates;
  for (const auto& [step, path] : list_steps(folder)) {
    try {
      const Manifest manifest = read_manifest(path);
      const bool compares = manifest.metric_name.empty() ||
          metric_name.empty() || manifest.metric_name == metric_name;
      candidates.push_back({step, compares ? manifest.metric : std::nullopt});
    } catch (const Error&) {
      // Cannot be resumed from: neither counted as kept nor removed.
    }
  }
  return candidates;
}

void copy_durably(const fs::path& from, const fs::path& to) {
  const Fd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!source) {
    cannot("read", from, errno);
  }
  std::string buffer(std::size_t{1} << 20, '\0');
  write_new_file(to, [&](int fd) {
    for (;;) {
      const ssize_t got = ::read(source.get(), buffer.data(), buffer.size());
      if (got < 0 && errno != EINTR) {
        cannot("read", from, errno);
      }
      if (got == 0) {
        return 0;
      }
      const int error = got < 0
          ? 0
          : write_all(fd, buffer.data(), static_cast<std::size_t>(got));
      if (error != 0) {
        return error;
      }
    }
  });
}

} // namespace

void point(const fs::path& folder, const char* name, std::int64_t step) {
  const fs::path path = folder / name;
  const std::string target = folder_name(step);
  std::error_code error;
  if (fs::read_symlink(path, error) == target) {
    return;
  }
  const std::string temporary =
      fmt::format("{}{}{}", path.native(), kTemporary, ::getpid());
  ::unlink(temporary.c_str());
  if (::symlink(target.c_str(), temporary.c_str()) != 0) {
    // The file system may have no links.
    write_file_atomically(path, target + "\n");
    return;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int why = errno;
    ::unlink(temporary.c_str());
    cannot("write", path, why);
  }
  sync_folder(folder);
}

void write_new_file(
    const fs::path& path,
    const std::function<int(int fd)>& write) {
  Fd fd(::open(
      path.c_str(),
      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
      0666));
  if (!fd) {
    cannot("create", path, errno);
  }
  int error = write(fd.get());
  if (error == 0 && ::fsync(fd.get()) != 0) {
    error = errno;
  }
  // close can report a delayed write error (NFS), so it is checked too.
  if (::close(fd.release()) != 0 && error == 0) {
    error = errno;
  }
  if (error != 0) {
    cannot("write", path, error);
  }
}

fs::path place(
    const fs::path& folder,
    std::int64_t step,
    const std::function<void(const fs::path& temporary)>& fill,
    const std::function<void()>& may_write) {
  make_folders(folder);
  remove_stale(folder);
  repair_pointers(folder);
  const std::string name = folder_name(step);
  fs::path target = folder / name;
  {
    const TemporaryFolder temporary(folder, name);
    fill(temporary.path());
    sync_folder(temporary.path());
    const std::string problem = problem_of(temporary.path());
    VITRAIN_CHECK(
        problem.empty(),
        ExitCode::kStorage,
        "a checkpoint does not read back as it was written: {}",
        problem);
    may_write();
    put_in_place(temporary.path(), target);
  }
  sync_folder(folder);
  may_write();
  return target;
}

fs::path copy(
    const fs::path& checkpoint,
    const fs::path& folder,
    const std::function<void()>& may_write) {
  const Manifest manifest = read_manifest(checkpoint);
  std::vector<std::string> names{kManifestName};
  for (const ManifestFile& file : manifest.files) {
    names.insert(names.begin(), file.name);
  }
  return place(
      folder,
      manifest.step,
      [&](const fs::path& temporary) {
        for (const std::string& name : names) {
          copy_durably(checkpoint / name, temporary / name);
        }
      },
      may_write);
}

std::string keep(
    const fs::path& folder,
    const RetentionOptions& options,
    std::int64_t saved) {
  point(folder, kLatest, saved);
  std::vector<Candidate> kept = candidates_in(folder, options.metric_name);
  const std::vector<std::int64_t> removed = to_remove(kept, options, saved);
  std::erase_if(kept, [&](const Candidate& candidate) {
    return std::binary_search(removed.begin(), removed.end(), candidate.step);
  });
  // Updates the pointer before its old target is removed.
  if (const auto best = best_step(kept, options)) {
    point(folder, kBest, *best);
  } else {
    ::unlink((folder / kBest).c_str());
  }
  std::int64_t failures = 0;
  std::string last;
  for (const std::int64_t step : removed) {
    const fs::path path = folder / folder_name(step);
    if (std::string why = remove_checkpoint(path); !why.empty()) {
      ++failures;
      last = fmt::format("{}: {}", printable(path.native()), why);
    }
  }
  sync_folder(folder); // makes the removals durable
  return failures == 0 ? ""
                       : fmt::format(
                             "{} cannot be removed and take up space: {}",
                             counted(failures, "old checkpoint"),
                             last);
}

} // namespace vitrain::checkpoint
