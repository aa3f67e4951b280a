#include "checkpoint/find.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <string_view>
#include <system_error>

#include "checkpoint/folder.h"
#include "core/hash.h"
#include "core/system/files.h"
#include "core/text.h"
#include "weights/archive.h"
#include "weights/weights_check.h"

namespace vitrain::checkpoint {
namespace {

constexpr std::string_view kPrefix = "step-";
constexpr std::size_t kDigits = 9;
constexpr std::size_t kForeignLimit = std::size_t{1} << 20;

// Throws Error(kWeights) unless the file has the listed size and hash. Does not
// load it into memory.
void verify_file(
    const std::filesystem::path& path,
    const ManifestFile& expected) {
  const std::string source = printable(path.native());
  const Fd fd(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  VITRAIN_CHECK_WEIGHTS(fd, "{}: cannot open: {}", source, error_text(errno));
  struct stat status {};
  VITRAIN_CHECK_WEIGHTS(
      ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode),
      "{}: is not a regular file",
      source);
  VITRAIN_CHECK_WEIGHTS(
      status.st_size == expected.size,
      "{}: has {} bytes, its manifest says {}: damaged or cut off",
      source,
      status.st_size,
      expected.size);
  Hasher hasher;
  std::string buffer(std::size_t{1} << 20, '\0');
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    VITRAIN_CHECK_WEIGHTS(
        got >= 0, "{}: cannot read: {}", source, error_text(errno));
    if (got == 0) {
      break;
    }
    hasher.update(buffer.data(), static_cast<std::size_t>(got));
  }
  VITRAIN_CHECK_WEIGHTS(
      hasher.hex() == expected.xxh3,
      "{}: its hash does not agree with its manifest: damaged",
      source);
}

// True for a valid JSON manifest.json that is not vitrain's, such as a web
// app's.
bool is_foreign(const std::filesystem::path& manifest) {
  std::error_code error;
  if (std::filesystem::file_size(manifest, error) > kForeignLimit || error) {
    return false;
  }
  const Json json = Json::parse(
      read_file(manifest, kForeignLimit, ExitCode::kWeights),
      /*cb=*/nullptr,
      /*allow_exceptions=*/false);
  return !json.is_discarded() && !json.contains("format_version") &&
      !json.contains("vitrain_version");
}

bool is_valid(
    const std::filesystem::path& checkpoint,
    std::vector<std::string>* rejected) {
  const std::string problem = problem_of(checkpoint);
  if (!problem.empty() && rejected != nullptr) {
    rejected->push_back(problem);
  }
  return problem.empty();
}

// Returns the checkpoint folder that a pointer names. Returns nullopt if
// there is no pointer, or if it does not name a checkpoint in `folder`, which
// is added to `rejected`.
std::optional<std::filesystem::path> follow(
    const std::filesystem::path& folder,
    const char* pointer,
    std::vector<std::string>* rejected) {
  const std::filesystem::path path = folder / pointer;
  std::error_code error;
  if (std::filesystem::symlink_status(path, error).type() ==
      std::filesystem::file_type::not_found) {
    return std::nullopt;
  }
  std::string problem;
  try {
    const std::string name = read_pointer(path);
    if (folder_step(name)) {
      return folder / name;
    }
    problem = fmt::format(
        "{}: names '{}', which is not a checkpoint of this folder",
        printable(path.native()),
        printable(name));
  } catch (const Error& caught) {
    problem = caught.what();
  }
  if (rejected != nullptr) {
    rejected->push_back(problem);
  }
  return std::nullopt;
}

// Returns the identity of the run that wrote a checkpoint (RunIdentity) without
// the place of its data; null if there is none, or the manifest is unreadable.
Json run_of(const std::filesystem::path& checkpoint) {
  try {
    Json run = read_manifest(checkpoint).state.value("identity", Json());
    if (run.is_object()) {
      run.erase("train_folder");
    }
    return run;
  } catch (const std::exception&) {
    return {};
  }
}

// True unless the checkpoint is known to be another run's. `run`: run_of() of
// the first run's checkpoint.
bool may_be_of(const Json& run, const std::filesystem::path& checkpoint) {
  const Json other = run_of(checkpoint);
  return run.is_null() || other.is_null() || run == other;
}

// Verifies the file against the manifest in its folder, or in the folder of a
// link's target. Throws Error(kWeights).
void verify_listed(const std::filesystem::path& file) {
  std::error_code error;
  std::vector<std::filesystem::path> paths{
      std::filesystem::absolute(file, error)};
  const auto target = std::filesystem::weakly_canonical(file, error);
  if (target != paths.front()) {
    paths.push_back(target);
  }
  for (const std::filesystem::path& path : paths) {
    const std::filesystem::path folder = path.parent_path();
    if (!is_checkpoint(folder) || is_foreign(folder / kManifestName)) {
      continue;
    }
    const Manifest manifest = read_manifest(folder);
    for (const ManifestFile& listed : manifest.files) {
      if (path.filename() == listed.name) {
        verify_file(path, listed);
      }
    }
  }
}

} // namespace

std::string folder_name(std::int64_t step) {
  return fmt::format("{}{:09}", kPrefix, step);
}

std::optional<std::int64_t> folder_step(const std::string& name) {
  std::int64_t step = 0;
  if (!name.starts_with(kPrefix) || name.size() < kPrefix.size() + kDigits ||
      !parse_int(std::string_view(name).substr(kPrefix.size()), step) ||
      step < 0 || folder_name(step) != name) {
    return std::nullopt;
  }
  return step;
}

bool is_checkpoint(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path / kManifestName, error);
}

Manifest verify(const std::filesystem::path& checkpoint) {
  Manifest manifest = read_manifest(checkpoint);
  std::vector<std::string> problems;
  for (const ManifestFile& file : manifest.files) {
    try {
      verify_file(checkpoint / file.name, file);
    } catch (const Error& error) {
      problems.push_back(error.what());
    }
  }
  VITRAIN_CHECK_WEIGHTS(problems.empty(), "{}", join(problems, "; "));
  return manifest;
}

std::string problem_of(const std::filesystem::path& checkpoint) {
  try {
    verify(checkpoint);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

void verify_named(const std::filesystem::path& file) {
  verify_listed(file);
  for (const std::filesystem::path& part : weights::files_of(file)) {
    if (part != file) {
      verify_listed(part);
    }
  }
}

std::map<std::int64_t, std::filesystem::path> list_steps(
    const std::filesystem::path& folder) {
  std::map<std::int64_t, std::filesystem::path> steps;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end;
       !error && it != end;
       it.increment(error)) {
    const auto step = folder_step(it->path().filename().native());
    std::error_code ignored;
    if (step &&
        it->symlink_status(ignored).type() ==
            std::filesystem::file_type::directory) {
      steps[*step] = it->path();
    }
  }
  return steps;
}

std::optional<std::filesystem::path> newest_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected) {
  const auto latest = follow(folder, kLatest, rejected);
  const auto steps = list_steps(folder);
  std::vector<std::filesystem::path> candidates;
  if (latest) {
    const Json run = run_of(*latest);
    const auto saved_later =
        steps.upper_bound(*folder_step(latest->filename().native()));
    for (auto it = saved_later; it != steps.end(); ++it) {
      if (is_checkpoint(it->second) && may_be_of(run, it->second)) {
        candidates.insert(candidates.begin(), it->second);
      }
    }
    candidates.push_back(*latest);
  }
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    if (std::ranges::find(candidates, it->second) == candidates.end()) {
      candidates.push_back(it->second);
    }
  }
  const auto found = std::ranges::find_if(
      candidates, [&](const auto& path) { return is_valid(path, rejected); });
  return found == candidates.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::filesystem::path> best_valid(
    const std::filesystem::path& folder,
    std::vector<std::string>* rejected) {
  const auto best = follow(folder, kBest, rejected);
  return best && is_valid(*best, rejected) ? best : std::nullopt;
}

bool is_pointer(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path name = path.filename();
  if (name != kLatest && name != kBest) {
    return false;
  }
  // Users may have links of these names to other places.
  const auto target = std::filesystem::read_symlink(path, error);
  return error ? std::filesystem::is_regular_file(path, error)
               : folder_step(target.native()).has_value();
}

std::filesystem::path pointed_to(const std::filesystem::path& pointer) {
  std::vector<std::string> rejected;
  const auto found =
      follow(pointer.parent_path(), pointer.filename().c_str(), &rejected);
  VITRAIN_CHECK_WEIGHTS(
      found && is_valid(*found, &rejected),
      "{}: names no complete checkpoint: {}",
      printable(pointer.native()),
      join(rejected, "; "));
  return *found;
}

} // namespace vitrain::checkpoint
