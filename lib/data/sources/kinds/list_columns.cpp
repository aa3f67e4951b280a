#include "data/sources/kinds/list_columns.h"

#include <algorithm>

#include "core/error.h"
#include "core/text/ascii.h"
#include "core/text/text.h"
#include "data/sources/kinds/kinds.h"
#include "data/sources/lines.h"

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

char find_separator(
    const std::filesystem::path& path,
    const char* use,
    const std::function<bool(const std::vector<std::string>& first)>&
        is_named) {
  char found = '\0';
  for (const char separator : kSeparators) {
    CsvRecords records(open_text(path, use), detail::shown(path), separator);
    std::vector<std::string> fields;
    try {
      if (!records.next(fields)) {
        break;
      }
    } catch (const Error&) {
      continue; // a quoted field that something else stands behind
    }
    if (is_named(fields)) {
      return separator;
    }
    found = found == '\0' && fields.size() > 1 ? separator : found;
  }
  return found == '\0' ? kSeparators.front() : found;
}

bool is_csv(const std::filesystem::path& path) {
  return detail::lower_extension(path.native()) == ".csv";
}

} // namespace vitrain::data
