#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace vitrain::data {

// A table of finite numbers.
struct Table {
  char separator = ','; // separator in a .csv file; ',' for .npy
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> values; // [rows, columns]
};

// Reads a .csv or .npy file. A .csv file contains numbers separated by commas
// or, if its first line has none, by semicolons or tabs; a header line (without
// a number) and, before it, a line `sep=;`, which declares the separator, are
// optional. A .npy file has two dimensions, type f4, f8, i4, i8 (little-endian)
// or u1, and C order. Throws Error(kData) naming the file for other files and
// for one without a row of numbers, and also naming the line and column of a
// cell that is not a finite fp32 number.
Table read_table(const std::filesystem::path& path);

} // namespace vitrain::data
