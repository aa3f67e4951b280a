#include "data/kinds/list_columns.h"

#include <algorithm>
#include <optional>

#include <fmt/ranges.h>

#include "core/ascii.h"
#include "core/check.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/sources/lines.h"

namespace vitrain::data {
namespace {

std::optional<char> separator_of_first_line(
    const std::filesystem::path& path,
    const char* use) {
  Lines lines(open_text(path, use), detail::shown(path));
  std::string line;
  try {
    return lines.next(line) ? separator_in(line) : std::nullopt;
  } catch (const Error&) { // not text; the reader of the records reports it
    return std::nullopt;
  }
}

std::size_t only(
    const std::vector<std::size_t>& found,
    const std::vector<std::string>& names,
    const char* what,
    const std::string& where) {
  VITRAIN_CHECK_DATA(
      found.size() == 1,
      "{}: both column '{}' and column '{}' could be {}: rename one of them",
      where,
      printable(trim(names[found[0]])),
      printable(trim(names[found[1]])),
      what);
  return found[0];
}

} // namespace

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
  if (const auto named = separator_of_first_line(path, use)) {
    return *named;
  }
  char found = '\0';
  for (const char separator : kSeparators) {
    CsvRecords records(open_text(path, use), detail::shown(path), separator);
    std::vector<std::string> fields;
    try {
      if (!records.next(fields)) {
        break;
      }
    } catch (const Error&) {
      continue; // text after a quoted field: not this separator
    }
    if (is_named(fields)) {
      return separator;
    }
    found = found == '\0' && fields.size() > 1 ? separator : found;
  }
  return found == '\0' ? kSeparators.front() : found;
}

ListColumns::ListColumns(
    const std::vector<std::string>& first,
    const std::string& where)
    : count(first.size()) {
  const std::vector<std::size_t> paths = columns_named(first, kPathColumns);
  const std::vector<std::size_t> labels = columns_named(first, kLabelColumns);
  named = !paths.empty() && !labels.empty();
  if (named) {
    path = only(paths, first, "the path of the image", where);
    label = only(labels, first, "the label", where);
  }
}

bool ListColumns::are_named(const std::vector<std::string>& first) {
  return !columns_named(first, kPathColumns).empty() &&
      !columns_named(first, kLabelColumns).empty();
}

std::string header_hint() {
  return fmt::format(
      " (a first line that names columns has one of {} and one of {})",
      fmt::join(kPathColumns, ", "),
      fmt::join(kLabelColumns, ", "));
}

bool is_csv(const std::filesystem::path& path) {
  return detail::lower_extension(path.native()) == ".csv";
}

} // namespace vitrain::data
