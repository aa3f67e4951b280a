#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace vitrain::data {

// A table of finite numbers.
struct Table {
  char separator = ','; // between the numbers of a .csv file
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> values; // [rows, columns]
};

// Reads a .csv file (numbers separated by commas or, if its first line has
// none, semicolons or tabs; with or without a header and, before it, a line
// `sep=;`) or a .npy file (two dimensions of f4, f8, i4, i8 or u1, in C order).
// Throws Error(kData) that names file, line and column.
Table read_table(const std::filesystem::path& path);

} // namespace vitrain::data
