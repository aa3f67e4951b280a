#include "core/system/missing_path.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "core/system/files.h"
#include "core/text.h"

namespace vitrain {

namespace fs = std::filesystem;

namespace {

// Maximum number of entries of a folder to examine.
constexpr std::size_t kMostNames = 10000;

// Returns a name in the folder that is similar to `name`, or "".
std::string similar_name(const fs::path& folder, const std::string& name) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && names.size() < kMostNames;
       entry.increment(error)) {
    std::string other = entry->path().filename().native();
    if (other != name) { // equal: a dangling link
      names.push_back(std::move(other));
    }
  }
  std::ranges::sort(names);
  return nearest(name, names);
}

} // namespace

fs::path normalised(const fs::path& path) {
  fs::path normal = path.lexically_normal();
  return normal.has_filename() || !normal.has_relative_path()
      ? normal
      : normal.parent_path();
}

std::optional<MissingPart> find_missing_part(const fs::path& path) {
  std::error_code error;
  fs::path missing = normalised(fs::absolute(path, error));
  if (error || path.empty() ||
      fs::status(path, error).type() != fs::file_type::not_found) {
    return std::nullopt;
  }
  while (missing.has_relative_path()) {
    const fs::path above = missing.parent_path();
    const fs::file_type type = fs::status(above, error).type();
    if (type == fs::file_type::directory) {
      return MissingPart{
          above, missing, similar_name(above, missing.filename().native())};
    }
    if (type != fs::file_type::not_found) {
      return std::nullopt; // a file, or a folder without permission
    }
    missing = above;
  }
  return std::nullopt;
}

std::string describe_missing_part(const fs::path& path) {
  const auto part = find_missing_part(path);
  std::error_code error;
  if (!part ||
      (part->meant.empty() &&
       part->missing == normalised(fs::absolute(path, error)))) {
    return "";
  }
  return fmt::format(
      "; {} has no '{}'{}",
      printable(part->existing.native()),
      printable(part->missing.filename().native()),
      part->meant.empty()
          ? ""
          : fmt::format(". Did you mean '{}'?", printable(part->meant)));
}

std::string path_error_text(const fs::path& path, int error_number) {
  return error_text(error_number) +
      (error_number == ENOENT ? describe_missing_part(path) : "");
}

} // namespace vitrain
