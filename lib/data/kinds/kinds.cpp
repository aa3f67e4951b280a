#include "data/kinds/kinds.h"

#include <algorithm>
#include <array>

#include "core/check.h"
#include "core/system/files.h"

namespace vitrain::data {

void detail::read_image_file(
    const std::filesystem::path& file,
    std::string& bytes) {
  read_file(
      file, static_cast<std::size_t>(kMostFileBytes), ExitCode::kData, bytes);
}

bool detail::FileSource::read(std::int64_t sample, std::string& bytes) const {
  read_image_file(path(sample), bytes);
  return true;
}

std::string detail::FileSource::describe(std::int64_t sample) const {
  return shown(path(sample));
}

void detail::check_has_path(const SourceOptions& options, const char* what) {
  VITRAIN_CHECK_DATA(
      !options.path.empty(), "the dataset has no path; give {}", what);
}

void detail::check_not_splits(
    std::string_view path,
    const std::vector<std::string>& classes) {
  static constexpr auto kSplits = std::to_array<std::string_view>(
      {"train", "training", "val", "valid", "validation", "eval", "test"});
  const bool all = std::ranges::all_of(classes, [](const auto& name) {
    return std::ranges::find(kSplits, name) != kSplits.end();
  });
  VITRAIN_CHECK_DATA(
      !all || classes.size() < 2,
      "{}: its sub-folders ({}) look like parts of a dataset, not like "
      "classes; give one of them as the path",
      printable(path),
      printable(join(classes, ", ")));
}

} // namespace vitrain::data
