#include "engine/pretrained.h"

#include "checkpoint/find.h"
#include "checkpoint/store.h"
#include "core/check.h"
#include "core/text.h"
#include "weights/load.h"
#include "weights/safetensors.h"

namespace vitrain::engine {
namespace {

weights::HeadPolicy head_policy(config::HeadInit init) {
  switch (init) {
    case config::HeadInit::kLoad:
      return weights::HeadPolicy::kLoad;
    case config::HeadInit::kFresh:
      return weights::HeadPolicy::kFresh;
    case config::HeadInit::kAuto:
      return weights::HeadPolicy::kAuto;
  }
  return weights::HeadPolicy::kAuto;
}

} // namespace

std::filesystem::path find_checkpoint(
    const std::filesystem::path& path,
    bool best) {
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
  std::vector<std::string> rejected;
  auto found = best ? checkpoint::best_valid(folder, &rejected) : std::nullopt;
  if (!found) {
    found = checkpoint::newest_valid(folder, &rejected);
  }
  VITRAIN_CHECK(
      found.has_value(),
      ExitCode::kWeights,
      "{}: no complete checkpoint there{}{}",
      name,
      rejected.empty() ? "" : "; passed over: ",
      join(rejected, "; "));
  return std::filesystem::canonical(*found);
}

bool is_checkpoint_path(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ||
      checkpoint::is_pointer(path);
}

void check_exists(const config::ModelConfig& model) {
  std::error_code error;
  VITRAIN_CHECK(
      !model.pretrained || std::filesystem::exists(*model.pretrained, error),
      ExitCode::kWeights,
      "{}: no such file or folder; model.pretrained (-pretrained) is a "
      ".safetensors file, a checkpoint or a run folder",
      printable(*model.pretrained));
}

std::vector<std::string> load_pretrained(
    models::Model& model,
    const config::ModelConfig& config) {
  const std::filesystem::path path = *config.pretrained;
  weights::TensorFile file;
  std::string source = printable(path.native());
  if (is_checkpoint_path(path)) {
    const auto folder = find_checkpoint(path, /*best=*/true);
    file.tensors = checkpoint::load_model(folder);
    source = printable(folder.native());
  } else {
    file = weights::read_safetensors(path);
  }
  const weights::LoadReport report = weights::load_weights(
      model, file, {.head = head_policy(config.head_init)}, source);
  std::vector<std::string> lines{fmt::format(
      "loaded {} tensors of {}", with_commas(report.loaded), source)};
  for (const std::string& line : report.lines()) {
    lines.push_back(line);
  }
  return lines;
}

} // namespace vitrain::engine
