#include "data/sources/list_columns.h"

#include <algorithm>

#include "core/text.h"
#include "data/sources/sources.h"

namespace vitrain::data {
namespace {

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

std::vector<std::size_t> columns_named(
    const std::vector<std::string>& first,
    std::span<const std::string_view> names) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string_view name = trim(first[i]);
    const auto same = [&](std::string_view other) {
      return std::ranges::equal(name, other, {}, to_lower);
    };
    if (std::ranges::any_of(names, same)) {
      found.push_back(i);
    }
  }
  return found;
}

bool is_csv(const std::filesystem::path& path) {
  return detail::lower_extension(path.native()) == ".csv";
}

} // namespace vitrain::data
