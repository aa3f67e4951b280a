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

// Column names in the first line of a .csv list, in any case.
inline constexpr auto kPathColumns = std::to_array<std::string_view>(
    {"path", "file", "filename", "file_name", "filepath", "image", "img"});
inline constexpr auto kLabelColumns = std::to_array<std::string_view>(
    {"label", "class", "target", "category", "class_name"});

// Where in the first record of a table one of these names stands.
std::vector<std::size_t> columns_named(
    const std::vector<std::string>& first,
    std::span<const std::string_view> names);

// Returns the separator of a .csv file: from a first line `sep=;`, otherwise
// from the first record: the separator with which it names columns, else the
// first separator in it, else a comma. Throws Error(kData), which mentions
// `use`, if the path is not a regular file.
char find_separator(
    const std::filesystem::path& path,
    const char* use,
    const std::function<bool(const std::vector<std::string>& first)>& is_named);

// Where a .csv list has what; its first line may name its columns.
struct ListColumns {
  std::size_t path = 0;
  std::size_t label = 1;
  std::size_t count = 2; // of the first record
  bool named = false;

  // Throws Error(kData) with `where` for columns of which two could be meant.
  ListColumns(const std::vector<std::string>& first, const std::string& where);
  static bool are_named(const std::vector<std::string>& first);
};

// Returns the hint that is added to a problem in a first line that may be a
// header.
std::string header_hint();

// Whether the file is a table by its name, x.csv.
bool is_csv(const std::filesystem::path& path);

} // namespace vitrain::data
