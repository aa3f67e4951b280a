#include "data/kinds/list_hints.h"

#include <algorithm>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "core/ascii.h"
#include "core/system/missing_path.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/sources/missing_path.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

char ascii_upper(char c) {
  return is_letter(c) && ascii_lower(c) == c ? static_cast<char>(c - 'a' + 'A')
                                             : c;
}

// Returns the image extension with which a file of this name exists, or "".
std::string suffix_on_disk(const fs::path& path) {
  for (const std::string_view extension : detail::image_extensions()) {
    std::string upper(extension);
    std::ranges::transform(upper, upper.begin(), ascii_upper);
    for (const std::string& suffix : {std::string(extension), upper}) {
      if (is_file(path.native() + suffix)) {
        return suffix;
      }
    }
  }
  return "";
}

// Returns the longest suffix of an absolute path that is a file in the folder,
// or an empty path.
fs::path tail_in(const fs::path& folder, const fs::path& name) {
  fs::path tail = name.relative_path();
  while (!tail.empty() && !is_file(folder / tail)) {
    fs::path shorter;
    for (auto part = std::next(tail.begin()); part != tail.end(); ++part) {
      shorter /= *part;
    }
    tail = shorter;
  }
  return tail;
}

std::string hint_for_moved(const fs::path& folder, const fs::path& name) {
  const auto part = find_missing_part(name);
  if (!part || part->missing == normalised(name)) {
    return "";
  }
  const std::string missing = printable(part->missing.native());
  const fs::path tail = tail_in(folder, name);
  return fmt::format(
      " (the name is absolute, and {} is not there: if the data have moved, {} "
      "or, to continue a run, make a link: ln -s NEW_FOLDER {})",
      missing,
      tail.empty() ? "correct the names in the list"
                   : fmt::format(
                         "name the images from the list's folder on, such as "
                         "{},",
                         printable(tail.native())),
      missing);
}

} // namespace

std::string hint_for_missing_image(
    const fs::path& folder,
    const std::string& name) {
  if (!detail::has_image_name(name)) {
    const std::string suffix = suffix_on_disk(folder / name);
    const std::string base = printable(fs::path(name).filename().native());
    return suffix.empty()
        ? fmt::format(
              " ('{}' has no suffix of an image, {}; names need theirs)",
              base,
              detail::kImageNames)
        : fmt::format(
              " ({}{} is there: write names with their suffix)", base, suffix);
  }
  return fs::path(name).is_absolute() ? hint_for_moved(folder, name) : "";
}

} // namespace vitrain::data
