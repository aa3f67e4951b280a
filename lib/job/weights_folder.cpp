#include "job/weights_folder.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <vector>

#include "core/check.h"
#include "core/text.h"
#include "weights/archive.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

// Prefixes of files without weights that a transformers Trainer saves next to
// the weights.
constexpr auto kNoWeights = std::to_array<std::string_view>(
    {"training_args.", "optimizer.", "scheduler.", "scaler.", "rng_state"});

bool has_extension_of_weights(const fs::path& name) {
  return std::ranges::find(kWeightsExtensions, name.extension().native()) !=
      kWeightsExtensions.end();
}

// True for "model.safetensors.index.json", also with a variant before ".json":
// a list of the files that together hold one network's weights.
bool is_index(const fs::path& name) {
  const std::string& text = name.native();
  const std::size_t end = text.rfind(".index.");
  return end != text.npos && text.ends_with(".json") &&
      has_extension_of_weights(text.substr(0, end));
}

bool is_weights(const fs::path& file) {
  const fs::path name = file.filename();
  std::error_code error;
  return (has_extension_of_weights(name) || is_index(name)) &&
      std::ranges::none_of(
             kNoWeights,
             [&](std::string_view start) {
               return name.native().starts_with(start);
             }) &&
      fs::is_regular_file(file, error);
}

// Returns the entries of a folder, sorted by name; empty if it is not a folder.
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

// Returns the names of the files that the indexes among `files` list.
std::set<fs::path> parts_in(const std::vector<fs::path>& files) {
  std::set<fs::path> parts;
  for (const fs::path& file : files) {
    if (is_index(file.filename())) {
      for (const fs::path& part : weights::files_of(file)) {
        parts.insert(part.filename());
      }
    }
  }
  return parts;
}

} // namespace

std::string weights_extensions() {
  return join(
      std::vector<std::string>(
          kWeightsExtensions.begin(), kWeightsExtensions.end()),
      " ");
}

std::string only_weights_in(const std::string& folder, std::string_view key) {
  std::vector<fs::path> files = entries_of(folder);
  std::erase_if(files, [](const fs::path& file) { return !is_weights(file); });
  const std::set<fs::path> parts = parts_in(files);
  std::vector<std::string> found;
  for (const fs::path& file : files) {
    if (is_index(file.filename()) || !parts.contains(file.filename())) {
      found.push_back(file.native());
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
