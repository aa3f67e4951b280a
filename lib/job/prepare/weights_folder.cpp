#include "job/prepare/weights_folder.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "core/check.h"
#include "core/text/text.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

// Starts of the names of what a Trainer saves beside the weights.
constexpr auto kNoWeights = std::to_array<std::string_view>(
    {"training_args.", "optimizer.", "scheduler.", "scaler.", "rng_state"});

bool is_weights(const fs::path& file) {
  const std::string name = file.filename().native();
  const std::string extension = file.extension().native();
  std::error_code error;
  return std::ranges::find(kWeightsExtensions, extension) !=
      kWeightsExtensions.end() &&
      std::ranges::none_of(
             kNoWeights,
             [&](std::string_view start) { return name.starts_with(start); }) &&
      fs::is_regular_file(file, error);
}

// What is in a folder, in the order of the names; nothing where it is none.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    entries.push_back(it->path());
  }
  std::ranges::sort(entries);
  return entries;
}

} // namespace

std::string weights_extensions() {
  return join(
      std::vector<std::string>(
          kWeightsExtensions.begin(), kWeightsExtensions.end()),
      " ");
}

void check_is_whole(const fs::path& path) {
  const auto is_index = [](const fs::path& file) {
    return file.native().ends_with(".index.json");
  };
  std::vector<fs::path> files = entries_of(path);
  files.push_back(path);
  const auto index = std::ranges::find_if(files, is_index);
  std::error_code error;
  VITRAIN_CHECK(
      index == files.end() || !fs::exists(*index, error),
      ExitCode::kWeights,
      "{}: lists the files that one network's weights are divided among; one "
      "file is read: write it with transformers' save_pretrained(FOLDER, "
      "max_shard_size=\"100GB\")",
      printable(index->native()));
}

std::string only_weights_in(const std::string& folder, std::string_view key) {
  check_is_whole(folder);
  std::vector<std::string> found;
  for (const fs::path& entry : entries_of(folder)) {
    if (is_weights(entry)) {
      found.push_back(entry.native());
    }
  }
  constexpr std::size_t kShown = 8;
  const std::size_t count = found.size();
  found.resize(std::min(count, kShown));
  VITRAIN_CHECK(
      count <= 1,
      ExitCode::kUsage,
      "{}: the folder '{}' has {} files of weights: say which, {}{}",
      key,
      printable(folder),
      count,
      printable(join(found, " or ")),
      count > kShown ? " or another" : "");
  return found.empty() ? "" : found.front();
}

} // namespace vitrain::job
