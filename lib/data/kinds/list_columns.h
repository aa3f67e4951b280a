#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::data {

// Recognised column names in the first line of a .csv list; case-insensitive.
inline constexpr auto kPathColumns = std::to_array<std::string_view>(
    {"path", "file", "filename", "file_name", "filepath", "image", "img"});
inline constexpr auto kLabelColumns = std::to_array<std::string_view>(
    {"label", "class", "target", "category", "class_name"});

// Returns the indices of the columns whose name in the first record is one of
// `names`.
std::vector<std::size_t> columns_named(
    const std::vector<std::string>& first,
    std::span<const std::string_view> names);

// Returns the separator of a .csv file: the one declared by a first line
// `sep=;`; otherwise the first separator with which is_named() is true for the
// first record; else the first one that splits that record; else a comma.
// Throws Error(kData), mentioning `use` (the expected kind of file), if the
// path is not a regular file.
char find_separator(
    const std::filesystem::path& path,
    const char* use,
    const std::function<bool(const std::vector<std::string>& first)>& is_named);

// Column indices of a .csv list, taken from its first record.
struct ListColumns {
  std::size_t path = 0;
  std::size_t label = 1;
  std::size_t count = 2; // number of columns in the first record
  bool named = false; // the first record names the columns

  // Throws Error(kData), which begins with `where`, if several columns could be
  // the path or the label.
  ListColumns(const std::vector<std::string>& first, const std::string& where);
  // Returns true if the record names a path and a label column.
  static bool are_named(const std::vector<std::string>& first);
};

// Returns the hint, in parentheses after a space, that is appended to a problem
// in a first line that may have been meant to name columns.
std::string header_hint();

// Returns true if the file name has the extension .csv.
bool is_csv(const std::filesystem::path& path);

} // namespace vitrain::data
