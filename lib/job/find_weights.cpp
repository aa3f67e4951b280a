#include "job/find_weights.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "checkpoint/find.h"
#include "checkpoint/folder.h"
#include "checkpoint/manifest.h"
#include "core/check.h"
#include "core/system/missing_path.h"
#include "core/text.h"
#include "job/weights_cache.h"
#include "job/weights_folder.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

// Returns the path of published weights on this machine; `name` if there are
// none. Throws Error(kUsage) if there are several.
std::string find_published(
    const std::string& name,
    const models::PublishedName& published,
    std::string_view key) {
  const auto found = find_cached(published);
  std::vector<std::string> names;
  for (const auto& [own_name, path] : found) {
    names.push_back(own_name);
  }
  VITRAIN_CHECK(
      found.size() <= 1,
      ExitCode::kUsage,
      "{}: '{}' could be {}: say which",
      key,
      printable(name),
      printable(join(names, " or ")));
  return found.empty() ? name : found.begin()->second.native();
}

// Returns true if the path exists. Throws Error(kWeights) if it cannot be
// examined.
bool is_there(const fs::path& path) {
  std::error_code error;
  const bool there = fs::exists(path, error);
  VITRAIN_CHECK(
      !error,
      ExitCode::kWeights,
      "{}: {}",
      printable(path.native()),
      error.message());
  return there;
}

// Returns the path with links, "." and ".." resolved. Throws Error(kWeights).
fs::path without_links(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  VITRAIN_CHECK(
      !error,
      ExitCode::kWeights,
      "{}: {}",
      printable(path.native()),
      error.message());
  return found;
}

// Returns the checkpoint that the file `best` in a checkpoints folder names;
// nullopt if there is no such file. Throws Error(kWeights) if that checkpoint
// is damaged: using the newest one instead would load other weights than the
// user meant.
std::optional<fs::path> best_of(
    const fs::path& folder,
    const std::string& name) {
  std::vector<std::string> rejected;
  auto best = checkpoint::best_valid(folder, &rejected);
  // A training run may have replaced the best checkpoint just now.
  if (!best && !rejected.empty()) {
    rejected.clear();
    best = checkpoint::best_valid(folder, &rejected);
  }
  if (best || rejected.empty()) {
    return best;
  }
  const auto newest = checkpoint::newest_valid(folder);
  fail(
      ExitCode::kWeights,
      "{}: its best checkpoint cannot be used: {}; {}",
      name,
      join(rejected, "; "),
      newest ? fmt::format(
                   "to take the newest one instead, name it: {}",
                   printable(newest->native()))
             : "no other one there is complete");
}

// Returns true if a folder is a run or a checkpoint or contains checkpoints,
// and also if it cannot be examined, so that the error is reported later.
bool may_hold_checkpoint(const fs::path& folder) {
  const std::string own = (folder / "").parent_path().filename().native();
  if (checkpoint::folder_step(own) || checkpoint::temporary_owner(own)) {
    return true; // belongs to a run, even if incomplete
  }
  for (const char* name :
       {checkpoint::kManifestName,
        "optimizer.safetensors", // a file of an incomplete checkpoint
        "config.yaml",
        "checkpoints",
        checkpoint::kLatest,
        checkpoint::kBest}) {
    std::error_code error;
    if (fs::exists(folder / name, error) || error) {
      return true;
    }
  }
  return !checkpoint::list_steps(folder).empty();
}

// Returns the existing weights files that a name without extension can mean.
std::vector<std::string> with_extension(const std::string& name) {
  std::vector<std::string> found;
  for (const char* extension : kWeightsExtensions) {
    std::string path = name + extension;
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
      found.push_back(std::move(path));
    }
  }
  return found;
}

} // namespace

std::filesystem::path find_checkpoint(
    const std::filesystem::path& path,
    bool best,
    std::vector<std::string>* rejected) {
  const std::string name = printable(path.native());
  VITRAIN_CHECK(
      is_there(path),
      ExitCode::kWeights,
      "{}: no such checkpoint or run folder{}",
      name,
      describe_missing_part(path));
  if (checkpoint::is_pointer(path)) {
    return without_links(checkpoint::pointed_to(path));
  }
  if (checkpoint::is_checkpoint(path)) {
    return without_links(path);
  }
  const bool is_run = is_there(path / "checkpoints");
  const fs::path folder = is_run ? path / "checkpoints" : path;
  std::vector<std::string> passed_over;
  auto found = best ? best_of(folder, name) : std::nullopt;
  if (!found) {
    found = checkpoint::newest_valid(folder, &passed_over);
  }
  VITRAIN_CHECK(
      found.has_value(),
      ExitCode::kWeights,
      "{}: no complete checkpoint{} there{}{}",
      name,
      may_hold_checkpoint(path)
          ? ""
          : " and no file of weights (" + weights_extensions() + ")",
      passed_over.empty() ? "" : "; passed over: ",
      join(passed_over, "; "));
  if (rejected != nullptr) {
    *rejected = std::move(passed_over);
  }
  return without_links(*found);
}

bool is_checkpoint_path(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ||
      checkpoint::is_pointer(path);
}

std::filesystem::path run_of_weights(const std::string& weights) {
  const std::filesystem::path checkpoint = is_checkpoint_path(weights)
      ? find_checkpoint(weights, /*best=*/true)
      : without_links(weights).parent_path();
  return checkpoint.parent_path().parent_path();
}

std::string resolve_weights(const std::string& name, std::string_view key) {
  std::error_code error;
  const bool other_folder =
      fs::is_directory(name, error) && !may_hold_checkpoint(name);
  if (name.empty() || (fs::exists(name, error) && !other_folder)) {
    return name;
  }
  const std::vector<std::string> found = with_extension(name);
  if (found.empty() && other_folder) {
    const std::string only = only_weights_in(name, key);
    return only.empty() ? name : only;
  }
  VITRAIN_CHECK(
      found.size() <= 1,
      ExitCode::kUsage,
      "{}: '{}' could be {}: say which, with its extension",
      key,
      printable(name),
      printable(join(found, " or ")));
  return found.empty() ? find_published(name, published_weights_name(name), key)
                       : found.front();
}

namespace {

// Throws Error(kWeights) if the name is a URL: only local files are read, so
// the user has to download it. Callers handle published weights, also by their
// URL, before.
void refuse_address(const std::string& name, std::string_view key) {
  if (name.find("://") == name.npos) {
    return;
  }
  const std::string file =
      fs::path(name.substr(0, name.find_first_of("?#"))).filename().native();
  fail(
      ExitCode::kWeights,
      "{}: is an address, and {} is a file here: fetch it first ({}) and give "
      "{}",
      printable(name),
      key,
      printable("curl -L -o " + file + " '" + name + "'"),
      printable(file));
}

// Returns a hint if a file called `name` plus an unsupported extension exists;
// "" otherwise.
std::string unread_sibling(const std::string& name) {
  for (const char* extension : {".pdiparams", ".onnx", ".h5", ".tflite"}) {
    std::error_code error;
    if (fs::is_regular_file(name + extension, error)) {
      return fmt::format(
          " ({} is there, which is not read)", printable(name + extension));
    }
  }
  return "";
}

} // namespace

bool is_published(const std::string& name) {
  const models::PublishedName found = published_weights_name(name);
  return !found.network.empty() || !found.repository.empty();
}

std::string not_here(const std::string& name) {
  return fmt::format(
      "{}: these weights are not on this machine ({}); this fetches them:\n"
      "  vitrain weights fetch {}",
      printable(name),
      describe_caches(),
      printable(shell_word(name)));
}

void check_exists(
    const std::optional<std::string>& weights,
    std::string_view key) {
  std::error_code error;
  if (!weights || std::filesystem::exists(*weights, error)) {
    return;
  }
  const std::string& name = *weights;
  VITRAIN_CHECK(
      !error, ExitCode::kWeights, "{}: {}", printable(name), error.message());
  VITRAIN_CHECK(!is_published(name), ExitCode::kWeights, "{}", not_here(name));
  refuse_address(name, key);
  fail(
      ExitCode::kWeights,
      "{}: no such file or folder{}; {}{} is a file of weights ({}; the "
      "extension may be left out), a checkpoint, a run folder or a name "
      "of published weights (timm:NAME){}",
      printable(name),
      unread_sibling(name),
      key,
      key == kPretrained ? " (-pretrained)" : "",
      weights_extensions(),
      describe_missing_part(name));
}

} // namespace vitrain::job
