#include "job/fetch_weights.h"

#include <optional>

#include <fmt/format.h>

#include "config/foreign/published_weights.h"
#include "core/ascii.h"
#include "core/check.h"
#include "core/system/system.h"
#include "core/text.h"
#include "job/weights_cache.h"
#include "weights/archive.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

using config::foreign::PublishedWeights;

// Returns the name with a repository: for a network without a tag, timm's
// default weights. Throws Error(kUsage) if the hub has none.
models::PublishedName with_repository(const std::string& given) {
  models::PublishedName name = models::read_published_name(given);
  std::string file(config::foreign::find_published(name.weights)
                       .value_or(PublishedWeights{})
                       .file);
  const bool is_bare = name.repository == "timm/" + name.network;
  if (name.weights.empty() && (name.repository.empty() || is_bare)) {
    for (const PublishedWeights& one :
         config::foreign::published_weights(name.network)) {
      if (one.repository.empty()) {
        file = file.empty() ? one.file : file;
      } else if (one.is_default) {
        name.repository = one.repository;
        file.clear();
      }
    }
  }
  VITRAIN_CHECK(
      !name.repository.empty() || file.empty(),
      ExitCode::kUsage,
      "{}: these weights are not on the Hugging Face hub; this fetches them:\n"
      "  curl -L --create-dirs -o {} https://download.pytorch.org/models/{}",
      printable(given),
      printable(shell_word((torch_hub_folder() / file).native())),
      file);
  VITRAIN_CHECK(
      !name.repository.empty(),
      ExitCode::kUsage,
      "{}: no published weights are known by this name: give one as `vitrain "
      "models {}` lists them, or a repository of the Hugging Face hub as "
      "hf-hub:ORG/NAME",
      printable(given),
      name.network.empty() ? "NAME" : name.network);
  return name;
}

} // namespace

FetchedWeights fetch_weights(
    const std::string& name,
    const FetchProgress& progress) {
  const models::PublishedName found = with_repository(name);
  for (const char* variable : {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
    const std::string value = ascii_lower(environment_variable(variable));
    VITRAIN_CHECK(
        value != "1" && value != "true" && value != "yes" && value != "on",
        ExitCode::kUsage,
        "{}: {}={} forbids to download it",
        printable(name),
        variable,
        value);
  }
  HubFiles hub(found, progress);
  FetchedWeights fetched;
  for (const char* file :
       {"model.safetensors",
        "model.safetensors.index.json",
        "pytorch_model.bin"}) {
    if (const auto path = hub.fetch(file)) {
      fetched.weights = *path;
      break;
    }
  }
  VITRAIN_CHECK(
      !fetched.weights.empty(),
      ExitCode::kWeights,
      "{}: the repository {} has neither model.safetensors nor "
      "pytorch_model.bin",
      printable(name),
      printable(found.repository));
  if (fetched.weights.extension() == ".json") {
    for (const fs::path& part : weights::files_of(fetched.weights)) {
      const std::string file = part.filename().native();
      VITRAIN_CHECK(
          hub.fetch(file).has_value(),
          ExitCode::kWeights,
          "{}: the repository {} has no {}, which its index lists",
          printable(name),
          printable(found.repository),
          printable(file));
    }
  }
  hub.fetch("config.json");
  if (!found.repository.starts_with("timm/")) {
    hub.fetch("preprocessor_config.json");
  }
  fetched.bytes = hub.bytes();
  return fetched;
}

} // namespace vitrain::job
