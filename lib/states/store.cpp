#include "states/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "checkpoint/folder.h"
#include "checkpoint/read_preprocess.h"
#include "core/check.h"
#include "core/hash.h"
#include "core/system/files.h"
#include "core/text.h"
#include "states/safetensors.h"
#include "weights/weights_check.h"

namespace vitrain::states {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOptimizerFile = "optimizer.safetensors";

[[noreturn]] void cannot(const char* what, const fs::path& path, int error) {
  fail(
      ExitCode::kStorage,
      "checkpoint: cannot {} {}: {}",
      what,
      printable(path.native()),
      error_text(error));
}

// Temporary folder, deleted with its content unless it is renamed to its final
// name. Replaces an existing folder of its name.
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
    return fmt::format(".{}{}{}", name, checkpoint::kTemporary, ::getpid());
  }

 private:
  fs::path path_;
};

// Creates a file, lets `write` fill it through its descriptor (returning 0 or
// an errno), and syncs it to storage. Throws Error(kStorage) if this fails or
// the file exists.
template <typename Write>
void write_durably(const fs::path& path, const Write& write) {
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

using Metadata = std::map<std::string, std::string>;

checkpoint::ManifestFile write_tensors(
    const fs::path& folder,
    const char* name,
    const std::map<std::string, at::Tensor>& tensors,
    const Metadata& metadata) {
  Hasher hasher;
  checkpoint::ManifestFile file{.name = name};
  write_durably(folder / name, [&](int fd) {
    return states::write_safetensors(
        fd, {.tensors = tensors, .metadata = metadata}, &hasher, file.size);
  });
  file.xxh3 = hasher.hex();
  return file;
}

std::string write_content(const fs::path& folder, const Snapshot& snapshot) {
  const Metadata plain{{"format", "pt"}};
  Metadata model = plain;
  if (!snapshot.preprocess.is_null()) {
    model[checkpoint::kPreprocessKey] = to_line(snapshot.preprocess);
  }
  std::vector<checkpoint::ManifestFile> files{
      write_tensors(folder, checkpoint::kModelFile, snapshot.model, model)};
  if (!snapshot.ema.empty()) {
    files.push_back(
        write_tensors(folder, checkpoint::kEmaFile, snapshot.ema, model));
  }
  files.push_back(
      write_tensors(folder, kOptimizerFile, snapshot.optimizer, plain));
  const checkpoint::Manifest manifest{
      .vitrain_version = VITRAIN_VERSION,
      .step = snapshot.step,
      .epoch = snapshot.epoch,
      .world_size = snapshot.world_size,
      .config_hash = snapshot.config_hash,
      .metric = snapshot.metric,
      .metric_name = snapshot.metric_name,
      .files = std::move(files),
      .state = snapshot.state};
  std::string text = manifest.text();
  write_durably(folder / checkpoint::kManifestName, [&](int fd) {
    return write_all(fd, text.data(), text.size());
  });
  sync_folder(folder);
  return text;
}

// Renames a complete folder to its final name. An existing folder of that name
// is exchanged atomically, so that one of them exists at any instant; it is
// left at `temporary`, or removed where the file system cannot exchange.
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
          std::string(checkpoint::kReplaced) + target.filename().native());
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
// taken for a complete one. Returns the reason of a failure, or "" if removed.
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
std::vector<checkpoint::Candidate> candidates_in(
    const fs::path& folder,
    const std::string& metric_name) {
  std::vector<checkpoint::Candidate> candidates;
  for (const auto& [step, path] : checkpoint::list_steps(folder)) {
    try {
      const checkpoint::Manifest manifest = checkpoint::read_manifest(path);
      const bool compares = manifest.metric_name.empty() ||
          metric_name.empty() || manifest.metric_name == metric_name;
      candidates.push_back({step, compares ? manifest.metric : std::nullopt});
    } catch (const Error&) {
      // Cannot be resumed from: neither counted as kept nor removed.
    }
  }
  return candidates;
}

// Writes a step folder's name to a pointer file, unless it is there already.
void point(const fs::path& folder, const char* name, std::int64_t step) {
  const fs::path path = folder / name;
  const std::string text = checkpoint::folder_name(step) + "\n";
  std::error_code error;
  if (fs::symlink_status(path, error).type() == fs::file_type::regular &&
      fs::file_size(path, error) == text.size() &&
      read_file(path, text.size(), ExitCode::kStorage) == text) {
    return;
  }
  write_file_atomically(path, text);
}

// Removes old checkpoints, after pointing `best` to the best remaining one, or
// removing `best` if there is none. Returns a sentence about checkpoints that
// cannot be removed, or "".
std::string retain(
    const fs::path& folder,
    const checkpoint::RetentionOptions& options,
    std::int64_t saved) {
  std::vector<checkpoint::Candidate> kept =
      candidates_in(folder, options.metric_name);
  const std::vector<std::int64_t> removed =
      checkpoint::to_remove(kept, options, saved);
  std::erase_if(kept, [&](const checkpoint::Candidate& candidate) {
    return std::binary_search(removed.begin(), removed.end(), candidate.step);
  });
  // Updates the pointer before its old target is removed.
  if (const auto best = checkpoint::best_step(kept, options)) {
    point(folder, checkpoint::kBest, *best);
  } else {
    ::unlink((folder / checkpoint::kBest).c_str());
  }
  std::int64_t failures = 0;
  std::string last;
  for (const std::int64_t step : removed) {
    const fs::path path = folder / checkpoint::folder_name(step);
    if (std::string why = remove_checkpoint(path); !why.empty()) {
      ++failures;
      last = fmt::format("{}: {}", printable(path.native()), why);
    }
  }
  return failures == 0 ? ""
                       : fmt::format(
                             "{} cannot be removed and take up space: {}",
                             counted(failures, "old checkpoint"),
                             last);
}

const checkpoint::ManifestFile& file_of(
    const checkpoint::Manifest& manifest,
    const char* name,
    const fs::path& checkpoint) {
  const auto found =
      std::ranges::find(manifest.files, name, &checkpoint::ManifestFile::name);
  VITRAIN_CHECK_WEIGHTS(
      found != manifest.files.end(),
      "{}: its manifest does not list {}",
      printable(checkpoint.native()),
      name);
  return *found;
}

} // namespace

Store::Store(
    std::filesystem::path folder,
    checkpoint::RetentionOptions retention)
    : folder_(std::move(folder)), retention_(retention) {}

std::filesystem::path Store::save(
    const Snapshot& snapshot,
    const std::function<void()>& may_write,
    std::string* warning) {
  make_folders(folder_);
  checkpoint::remove_stale(folder_);
  checkpoint::repair_pointers(folder_);
  const std::string name = checkpoint::folder_name(snapshot.step);
  const fs::path target = folder_ / name;
  {
    const TemporaryFolder temporary(folder_, name);
    const std::string manifest = write_content(temporary.path(), snapshot);
    const std::string problem = checkpoint::problem_of(temporary.path());
    VITRAIN_CHECK(
        problem.empty(),
        ExitCode::kStorage,
        "a checkpoint does not read back as it was written: {}",
        problem);
    may_write();
    put_in_place(temporary.path(), target);
  }
  sync_folder(folder_);
  may_write();
  point(folder_, checkpoint::kLatest, snapshot.step);
  const std::string unremoved = retain(folder_, retention_, snapshot.step);
  if (warning != nullptr) {
    *warning = unremoved;
  }
  sync_folder(folder_); // makes the removals durable
  return target;
}

Snapshot load(const std::filesystem::path& checkpoint) {
  const checkpoint::Manifest manifest = checkpoint::verify(checkpoint);
  const auto tensors = [&](const char* name) {
    const checkpoint::ManifestFile& file = file_of(manifest, name, checkpoint);
    return states::read_safetensors(checkpoint / file.name).tensors;
  };
  const bool averages = checkpoint::lists(manifest, checkpoint::kEmaFile);
  return {
      .step = manifest.step,
      .epoch = manifest.epoch,
      .world_size = manifest.world_size,
      .config_hash = manifest.config_hash,
      .metric = manifest.metric,
      .metric_name = manifest.metric_name,
      .preprocess =
          checkpoint::read_preprocess(checkpoint / checkpoint::kModelFile),
      .model = tensors(checkpoint::kModelFile),
      .ema = averages ? tensors(checkpoint::kEmaFile)
                      : std::map<std::string, at::Tensor>{},
      .optimizer = tensors(kOptimizerFile),
      .state = manifest.state};
}

} // namespace vitrain::states
