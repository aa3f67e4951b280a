#include "data/sources/list_columns.h"

#include <algorithm>

#include "core/ascii.h"
#include "core/text.h"
#include "data/sources/sources.h"

namespace vitrain::data {

std::vector<std::size_t> columns_named(
    const std::vector<std::string>& first,
    std::span<const std::string_view> names) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string name = ascii_lower(std::string(trim(first[i])));
    if (std::ranges::find(names, name) != names.end()) {
      found.push_back(i);
    }
  }
  return found;
}

bool is_csv(const std::filesystem::path& path) {
  return detail::lower_extension(path.native()) == ".csv";
}

} // namespace vitrain::data
