#include "states/store.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checkpoint/place.h"
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

using Metadata = std::map<std::string, std::string>;

checkpoint::ManifestFile write_tensors(
    const fs::path& folder,
    const char* name,
    const std::map<std::string, at::Tensor>& tensors,
    const Metadata& metadata) {
  Hasher hasher;
  checkpoint::ManifestFile file{.name = name};
  checkpoint::write_new_file(folder / name, [&](int fd) {
    return states::write_safetensors(
        fd, {.tensors = tensors, .metadata = metadata}, &hasher, file.size);
  });
  file.xxh3 = hasher.hex();
  return file;
}

void write_content(const fs::path& folder, const Snapshot& snapshot) {
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
  const std::string text = manifest.text();
  checkpoint::write_new_file(folder / checkpoint::kManifestName, [&](int fd) {
    return write_all(fd, text.data(), text.size());
  });
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
  fs::path target = checkpoint::place(
      folder_,
      snapshot.step,
      [&](const fs::path& temporary) { write_content(temporary, snapshot); },
      may_write);
  std::string unremoved = checkpoint::keep(folder_, retention_, snapshot.step);
  if (warning != nullptr) {
    *warning = std::move(unremoved);
  }
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
