#include "job/prepare/find_weights.h"

#include <array>
#include <map>
#include <string_view>

#include "checkpoint/find.h"
#include "checkpoint/folder.h"
#include "core/check.h"
#include "core/files/files.h"
#include "core/system/system.h"
#include "core/text/text.h"

namespace vitrain::job {
namespace {

constexpr std::string_view kTimm = "timm:";

// In the order in which people are told of them.
constexpr auto kExtensions = std::to_array<const char*>(
    {".safetensors", ".pth", ".pt", ".bin", ".npz", ".pdparams"});

// Where huggingface_hub keeps what it fetched (its constants.py).
std::filesystem::path hub_folder() {
  if (std::string hub = environment_variable("HF_HUB_CACHE"); !hub.empty()) {
    return hub;
  }
  if (std::string home = environment_variable("HF_HOME"); !home.empty()) {
    return std::filesystem::path(home) / "hub";
  }
  const std::string cache = environment_variable("XDG_CACHE_HOME");
  const std::filesystem::path base = cache.empty()
      ? std::filesystem::path(environment_variable("HOME")) / ".cache"
      : std::filesystem::path(cache);
  return base / "huggingface" / "hub";
}

// Weights of the revision that `main` of a cached repository is, or nothing.
std::filesystem::path weights_of_repository(
    const std::filesystem::path& repository) {
  std::error_code error;
  const std::filesystem::path ref = repository / "refs" / "main";
  if (!std::filesystem::is_regular_file(ref, error)) {
    return {};
  }
  const std::string revision(
      trim(read_file(ref, /*limit=*/256, ExitCode::kWeights)));
  for (const char* file : {"model.safetensors", "pytorch_model.bin"}) {
    std::filesystem::path path = repository / "snapshots" / revision / file;
    if (std::filesystem::exists(path, error)) {
      return path;
    }
  }
  return {};
}

// timm:NAME, with or without the tag behind a dot (vit_tiny_patch16_224 or
// vit_tiny_patch16_224.augreg_in21k). The name itself when nothing has it.
std::string find_in_cache(const std::string& name) {
  constexpr std::string_view kOwner = "models--timm--";
  const std::string folder = std::string(kOwner) + name.substr(kTimm.size());
  std::map<std::string, std::filesystem::path> found; // by name
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
  std::vector<std::string> names;
  for (const auto& [repository, path] : found) {
    names.push_back("timm:" + repository);
  }
  VITRAIN_CHECK(
      found.size() <= 1,
      ExitCode::kUsage,
      "model.pretrained: '{}' could be {}: say which",
      printable(name),
      printable(join(names, " or ")));
  return found.empty() ? name : found.begin()->second.native();
}

} // namespace

std::filesystem::path find_checkpoint(
    const std::filesystem::path& path,
    bool best,
    std::vector<std::string>* rejected) {
  const std::string name = printable(path.native());
  VITRAIN_CHECK(
      std::filesystem::exists(path),
      ExitCode::kWeights,
      "{}: no such checkpoint or run folder",
      name);
  if (checkpoint::is_checkpoint(path)) {
    return std::filesystem::canonical(path);
  }
  if (checkpoint::is_pointer(path)) {
    return std::filesystem::canonical(checkpoint::pointed_to(path));
  }
  std::filesystem::path folder = path;
  if (std::filesystem::is_directory(path / "checkpoints")) {
    folder = path / "checkpoints";
  }
  std::vector<std::string> passed_over;
  auto found =
      best ? checkpoint::best_valid(folder, &passed_over) : std::nullopt;
  if (!found) {
    found = checkpoint::newest_valid(folder, &passed_over);
  }
  VITRAIN_CHECK(
      found.has_value(),
      ExitCode::kWeights,
      "{}: no complete checkpoint there{}{}",
      name,
      passed_over.empty() ? "" : "; passed over: ",
      join(passed_over, "; "));
  if (rejected != nullptr) {
    *rejected = std::move(passed_over);
  }
  return std::filesystem::canonical(*found);
}

bool is_checkpoint_path(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ||
      checkpoint::is_pointer(path);
}

std::filesystem::path run_of_weights(const std::string& weights) {
  const std::filesystem::path checkpoint = is_checkpoint_path(weights)
      ? find_checkpoint(weights, /*best=*/true)
      : std::filesystem::weakly_canonical(weights).parent_path();
  return checkpoint.parent_path().parent_path();
}

std::string resolve_weights(const std::string& name) {
  std::error_code error;
  if (name.starts_with(kTimm)) {
    return find_in_cache(name);
  }
  if (name.empty() || std::filesystem::exists(name, error)) {
    return name;
  }
  std::vector<std::string> found;
  for (const char* extension : kExtensions) {
    std::string path = name + extension;
    if (std::filesystem::is_regular_file(path, error)) {
      found.push_back(std::move(path));
    }
  }
  VITRAIN_CHECK(
      found.size() <= 1,
      ExitCode::kUsage,
      "model.pretrained: '{}' could be {}: say which, with its extension",
      printable(name),
      printable(join(found, " or ")));
  return found.empty() ? name : found.front();
}

void check_exists(const config::ModelConfig& model) {
  std::error_code error;
  if (!model.pretrained || std::filesystem::exists(*model.pretrained, error)) {
    return;
  }
  const std::string& name = *model.pretrained;
  if (name.starts_with(kTimm)) {
    const std::string timm = name.substr(kTimm.size());
    const bool tagged = timm.find('.') != std::string::npos;
    fail(
        ExitCode::kWeights,
        "{}: not in the Hugging Face cache ({}); this fetches it{}:\n"
        "  hf download timm/{} model.safetensors",
        printable(name),
        printable(hub_folder().native()),
        tagged ? ""
               : ", with the TAG of one of timm's trainings of it (as "
                 "augreg_in21k_ft_in1k of vit_tiny_patch16_224)",
        printable(timm + (tagged ? "" : ".TAG")));
  }
  fail(
      ExitCode::kWeights,
      "{}: no such file or folder; model.pretrained (-pretrained) is a file of "
      "weights ({}; the extension may be left out), a checkpoint, a run folder "
      "or timm:NAME",
      printable(name),
      join(
          std::vector<std::string>(kExtensions.begin(), kExtensions.end()),
          " "));
}

} // namespace vitrain::job
