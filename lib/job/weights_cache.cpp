#include "job/weights_cache.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "config/foreign/published_weights.h"
#include "core/system/files.h"
#include "core/system/system.h"
#include "core/text.h"
#include "job/find_weights.h"
#include "job/weights_folder.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

using config::foreign::PublishedWeights;
using models::PublishedName;
using Cached = std::map<std::string, fs::path>;

constexpr const char* kOwnFolder = "VITRAIN_WEIGHTS";

// Returns a path from an environment variable, with a leading ~ replaced by the
// home folder; "" if the variable is not set.
fs::path path_variable(const char* name) {
  const std::string value = environment_variable(name);
  return value == "~" || value.starts_with("~/")
      ? environment_variable("HOME") + value.substr(1)
      : value;
}

// Returns the folder in which programs keep their caches.
fs::path cache_home() {
  const fs::path cache = path_variable("XDG_CACHE_HOME");
  return cache.empty() ? fs::path(environment_variable("HOME")) / ".cache"
                       : cache;
}

// Returns the folder of a revision of a cached repository, which need not
// exist. A revision without a file in refs is a commit; only for the default
// one, "main", it is then the only snapshot, or "" if there are none or
// several. Throws Error(kWeights) if the ref cannot be read.
fs::path snapshot_of(const fs::path& repository, const std::string& revision) {
  const fs::path snapshots = repository / "snapshots";
  const fs::path ref = repository / "refs" / revision;
  std::error_code error;
  if (fs::is_regular_file(ref, error)) {
    const std::string text = read_file(ref, /*limit=*/256, ExitCode::kWeights);
    return snapshots / std::string(trim(text));
  }
  if (revision != PublishedName().revision) {
    return snapshots / revision; // a commit
  }
  std::vector<fs::path> all;
  for (fs::directory_iterator it(snapshots, error), end; !error && it != end;
       it.increment(error)) {
    all.push_back(it->path());
  }
  return all.size() == 1 ? all.front() : fs::path();
}

// Returns the weights file or index of a revision of a cached repository; "" if
// there is none. Throws as snapshot_of().
fs::path weights_of_repository(
    const fs::path& repository,
    const std::string& revision) {
  const fs::path snapshot = snapshot_of(repository, revision);
  std::error_code error;
  for (const char* file :
       {"model.safetensors",
        "model.safetensors.index.json",
        "pytorch_model.bin"}) {
    fs::path path = snapshot / file;
    if (!snapshot.empty() && fs::exists(path, error)) {
      return path;
    }
  }
  return {};
}

// Returns the weights that `folder` has under this name: a file, also without
// its extension, or the only one in a folder; "" if there are none. Throws as
// only_weights_in().
fs::path weights_below(const fs::path& folder, const std::string& name) {
  const fs::path path = folder / name;
  std::error_code error;
  if (name.empty() || fs::is_regular_file(path, error)) {
    return name.empty() ? fs::path() : path;
  }
  for (const char* extension : kWeightsExtensions) {
    fs::path file = path.native() + extension;
    if (fs::is_regular_file(file, error)) {
      return file;
    }
  }
  return fs::is_directory(path, error)
      ? fs::path(only_weights_in(path.native(), kPretrained))
      : fs::path();
}

// Returns the weights of a repository or of torchvision's `file` (each may be
// "") from the first of VITRAIN_WEIGHTS, the Hugging Face cache and torch's
// cache that has them; "" if none has. Throws as snapshot_of() and
// only_weights_in().
fs::path find_one(
    const std::string& repository,
    const std::string& revision,
    const std::string& file) {
  const fs::path own = path_variable(kOwnFolder);
  const std::string name = repository.substr(repository.find('/') + 1);
  if (!own.empty()) {
    for (const std::string& given : {repository, name, file}) {
      if (fs::path found = weights_below(own, given); !found.empty()) {
        return found;
      }
    }
  }
  if (!repository.empty()) {
    fs::path found =
        weights_of_repository(hub_repository(repository), revision);
    if (!found.empty()) {
      return found;
    }
  }
  fs::path found = torch_hub_folder() / file;
  std::error_code error;
  return !file.empty() && fs::is_regular_file(found, error) ? found
                                                            : fs::path();
}

// Adds the weights of timm's repositories in the Hugging Face cache that are
// called `name`.TAG.
void add_tagged(const std::string& name, Cached& found) {
  constexpr std::string_view kOwner = "models--timm--";
  const std::string start = fmt::format("{}{}.", kOwner, name);
  std::error_code error;
  for (fs::directory_iterator it(hub_folder(), error), end; !error && it != end;
       it.increment(error)) {
    const std::string repository = it->path().filename().native();
    if (repository.starts_with(start)) {
      auto path = weights_of_repository(it->path(), PublishedName().revision);
      if (!path.empty()) {
        found["timm:" + repository.substr(kOwner.size())] = std::move(path);
      }
    }
  }
}

} // namespace

fs::path hub_folder() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (fs::path hub = path_variable(name); !hub.empty()) {
      return hub;
    }
  }
  const fs::path home = path_variable("HF_HOME");
  return (home.empty() ? cache_home() / "huggingface" : home) / "hub";
}

fs::path torch_hub_folder() {
  const fs::path home = path_variable("TORCH_HOME");
  return (home.empty() ? cache_home() / "torch" : home) / "hub" / "checkpoints";
}

fs::path hub_repository(const std::string& repository) {
  return hub_folder() / ("models--" + join(split(repository, '/'), "--"));
}

PublishedName published_weights_name(const std::string& name) {
  PublishedName found = models::read_published_name(name);
  for (const char* prefix :
       {"timm:", "hf-hub:", "hf_hub:", "https://huggingface.co/"}) {
    if (name.starts_with(prefix)) {
      return found;
    }
  }
  std::error_code error;
  const bool is_path = name.find('/') != name.npos &&
      fs::exists(name.substr(0, name.find('/')), error);
  return is_path || (found.network.empty() && found.weights.empty())
      ? PublishedName{}
      : found;
}

Cached find_cached(const PublishedName& name) {
  const auto entry = config::foreign::find_published(name.weights);
  const std::string own =
      name.repository.empty() ? name.weights : name.repository;
  const fs::path exact = find_one(
      name.repository,
      name.revision,
      std::string(entry ? entry->file : std::string_view()));
  if (!exact.empty()) {
    return {{own, exact}};
  }
  if (!name.weights.empty() ||
      !(name.repository.empty() || name.repository.starts_with("timm/"))) {
    return {};
  }
  Cached found;
  const std::string network = name.repository.empty()
      ? name.network
      : without_prefix(name.repository, "timm/");
  for (const PublishedWeights& one :
       config::foreign::published_weights(network)) {
    const fs::path path = find_one(
        one.repository, PublishedName().revision, std::string(one.file));
    if (!path.empty()) {
      found
          [one.is_torchvision() ? std::string(one.name)
                                : fmt::format("timm:{}", one.name)] = path;
      if (one.is_default) {
        return found;
      }
    }
  }
  add_tagged(network, found);
  return found;
}

std::string describe_caches() {
  const fs::path own = path_variable(kOwnFolder);
  return printable(fmt::format(
      "{}={}, {}, {}",
      kOwnFolder,
      own.empty() ? "(not set)" : own.native(),
      hub_folder().native(),
      torch_hub_folder().native()));
}

} // namespace vitrain::job
