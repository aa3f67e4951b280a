#include "job/find_weights.h"

#include "checkpoint/find.h"
#include "checkpoint/folder.h"
#include "core/check.h"
#include "core/text.h"

namespace vitrain::job {

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

void check_exists(const config::ModelConfig& model) {
  std::error_code error;
  VITRAIN_CHECK(
      !model.pretrained || std::filesystem::exists(*model.pretrained, error),
      ExitCode::kWeights,
      "{}: no such file or folder; model.pretrained (-pretrained) is a "
      ".safetensors file, a checkpoint or a run folder",
      printable(*model.pretrained));
}

} // namespace vitrain::job
