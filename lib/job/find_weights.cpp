#include "job/find_weights.h"

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "checkpoint/find.h"
#include "checkpoint/folder.h"
#include "checkpoint/manifest.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/system/missing_path.h"
#include "core/system/system.h"
#include "core/text.h"
#include "job/weights_folder.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTimm = "timm:";

// Returns a path from an environment variable, with ~ replaced by the home
// folder, as Python's os.path.expanduser(); "" if the variable is not set.
fs::path path_variable(const char* name) {
  const std::string value = environment_variable(name);
  return value == "~" || value.starts_with("~/")
      ? environment_variable("HOME") + value.substr(1)
      : value;
}

// Returns the cache folder of huggingface_hub (its constants.py).
fs::path hub_folder() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (fs::path hub = path_variable(name); !hub.empty()) {
      return hub;
    }
  }
  if (const fs::path home = path_variable("HF_HOME"); !home.empty()) {
    return home / "hub";
  }
  const fs::path cache = path_variable("XDG_CACHE_HOME");
  const fs::path base =
      cache.empty() ? fs::path(environment_variable("HOME")) / ".cache" : cache;
  return base / "huggingface" / "hub";
}

// Returns NAME of "timm:NAME" or "timm:timm/NAME".
std::string timm_name(const std::string& name) {
  return without_prefix(name.substr(kTimm.size()), "timm/");
}

// Returns the folder of the `main` revision of a cached repository, or else of
// its only revision; "" if there is neither.
fs::path snapshot_of(const fs::path& repository) {
  const fs::path snapshots = repository / "snapshots";
  const fs::path ref = repository / "refs" / "main";
  std::error_code error;
  if (fs::is_regular_file(ref, error)) {
    const std::string text = read_file(ref, /*limit=*/256, ExitCode::kWeights);
    return snapshots / std::string(trim(text));
  }
  std::vector<fs::path> all;
  for (fs::directory_iterator it(snapshots, error), end; !error && it != end;
       it.increment(error)) {
    all.push_back(it->path());
  }
  return all.size() == 1 ? all.front() : fs::path();
}

// Returns the weights file in snapshot_of(repository); "" if there is none.
fs::path weights_of_repository(const fs::path& repository) {
  const fs::path snapshot = snapshot_of(repository);
  std::error_code error;
  for (const char* file : {"model.safetensors", "pytorch_model.bin"}) {
    fs::path path = snapshot / file;
    if (!snapshot.empty() && fs::exists(path, error)) {
      return path;
    }
  }
  return {};
}

// Finds timm:NAME in the cache. NAME may omit the tag after the dot
// (vit_tiny_patch16_224 for vit_tiny_patch16_224.augreg_in21k); an exact match
// takes precedence. Returns `name` if the cache has no match. Throws
// Error(kUsage) if it has several.
std::string find_in_cache(const std::string& name, std::string_view key) {
  constexpr std::string_view kOwner = "models--timm--";
  const std::string folder = std::string(kOwner) + timm_name(name);
  std::map<std::string, std::filesystem::path> found; // paths by name
  std::error_code error;
  for (std::filesystem::directory_iterator it(hub_folder(), error), end;
       !error && it != end;
       it.increment(error)) {
    const std::string repository = it->path().filename().native();
    if (repository == folder || repository.starts_with(folder + ".")) {
      if (auto path = weights_of_repository(it->path()); !path.empty()) {
        found[repository.substr(kOwner.size())] = std::move(path);
      }
    }
  }
  if (const auto exact = found.find(timm_name(name)); exact != found.end()) {
    return exact->second.native();
  }
  std::vector<std::string> names;
  for (const auto& [repository, path] : found) {
    names.push_back("timm:" + repository);
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
  // A training run may have replaced it just now.
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
  if (checkpoint::is_checkpoint(path)) {
    return without_links(path);
  }
  if (checkpoint::is_pointer(path)) {
    return without_links(checkpoint::pointed_to(path));
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
  if (name.starts_with(kTimm)) {
    return find_in_cache(name, key);
  }
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
  return found.empty() ? name : found.front();
}

namespace {

// Throws Error(kWeights) for a URL or a Hub repository: only local files are
// read, so the user has to download it.
void refuse_address(const std::string& name, std::string_view key) {
  constexpr std::string_view kHub = "huggingface.co/";
  for (const std::string_view prefix : {"hf-hub:", "hf_hub:"}) {
    if (name.starts_with(prefix)) {
      const std::string repository = name.substr(prefix.size());
      fail(
          ExitCode::kWeights,
          "{}: {} is a file here, not a repository: fetch it (hf download {}) "
          "and give {}",
          printable(name),
          key,
          printable(repository),
          repository.starts_with("timm/")
              ? printable("timm:" + repository.substr(5))
              : "the folder that it prints");
    }
  }
  if (name.find("://") == name.npos) {
    return;
  }
  const std::size_t hub = name.find(kHub);
  std::vector<std::string> parts;
  if (hub != name.npos) {
    parts = split(name.substr(hub + kHub.size()), '/');
  }
  const bool repository = parts.size() >= 2;
  const std::string file =
      fs::path(name.substr(0, name.find_first_of("?#"))).filename().native();
  fail(
      ExitCode::kWeights,
      "{}: is an address, and {} is a file here: fetch it first ({}) and give "
      "{}",
      printable(name),
      key,
      repository ? printable("hf download " + parts[0] + "/" + parts[1])
                 : printable("curl -L -o " + file + " '" + name + "'"),
      repository && parts[0] == "timm" ? printable("timm:" + parts[1])
          : repository                 ? "the folder that it prints"
                                       : printable(file));
}

// Returns a hint if, instead of a missing file, one with an unsupported
// extension exists; "" otherwise.
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
  if (name.starts_with(kTimm)) {
    const std::string timm = timm_name(name);
    const bool tagged = timm.find('.') != std::string::npos;
    fail(
        ExitCode::kWeights,
        "{}: not in the Hugging Face cache ({}); this fetches it{}:\n"
        "  hf download timm/{} model.safetensors config.json",
        printable(name),
        printable(hub_folder().native()),
        tagged ? ""
               : ", with the TAG of one of timm's trainings of it (as "
                 "augreg_in21k_ft_in1k of vit_tiny_patch16_224)",
        printable(timm + (tagged ? "" : ".TAG")));
  }
  refuse_address(name, key);
  fail(
      ExitCode::kWeights,
      "{}: no such file or folder{}; {}{} is a file of weights ({}; the "
      "extension may be left out), a checkpoint, a run folder or timm:NAME{}",
      printable(name),
      unread_sibling(name),
      key,
      key == kPretrained ? " (-pretrained)" : "",
      weights_extensions(),
      describe_missing_part(name));
}

} // namespace vitrain::job
