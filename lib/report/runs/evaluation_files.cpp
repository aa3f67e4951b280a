#include "report/runs/evaluation_files.h"

#include <algorithm>
#include <tuple>

#include "core/check.h"
#include "core/text.h"
#include "data/sources/lines.h"

namespace vitrain::report {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestTable = std::uintmax_t{8} << 20; // bytes

using TableRow = std::vector<std::string>;

// The records of a table; none where there is no such file, or one that nobody
// could look at.
std::vector<TableRow> read_table(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  std::vector<TableRow> rows;
  if (error || size > kLargestTable) {
    return rows;
  }
  const std::string name = printable(file.native());
  data::CsvRecords records(data::open_text(file, "a table"), name);
  TableRow row;
  while (records.next(row)) {
    rows.push_back(row);
    VITRAIN_CHECK_DATA(
        rows.size() == 1 || row.size() == rows.front().size(),
        "{}: line {} has {} fields, and the first one {}",
        name,
        records.number(),
        row.size(),
        rows.front().size());
  }
  return rows;
}

std::int64_t count_of(const std::string& text, const fs::path& file) {
  std::int64_t count = 0;
  VITRAIN_CHECK_DATA(
      parse_int(text, count) && count >= 0,
      "{}: expected a number of samples, got {}",
      printable(file.native()),
      printable(text));
  return count;
}

} // namespace

Confusion read_confusion(const fs::path& file) {
  const std::vector<TableRow> rows = read_table(file);
  Confusion table;
  if (rows.empty()) {
    return table;
  }
  table.classes.assign(rows.front().begin() + 1, rows.front().end());
  VITRAIN_CHECK_DATA(
      rows.size() == table.classes.size() + 1,
      "{}: has {} rows for {} classes",
      printable(file.native()),
      rows.size() - 1,
      table.classes.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::vector<std::int64_t>& counts = table.counts.emplace_back();
    for (std::size_t k = 1; k < rows[i].size(); ++k) {
      counts.push_back(count_of(rows[i][k], file));
    }
  }
  return table;
}

std::vector<Mistaken> most_mistaken(const Confusion& table, std::size_t most) {
  std::vector<Mistaken> pairs;
  for (std::size_t i = 0; i < table.counts.size(); ++i) {
    for (std::size_t k = 0; k < table.counts[i].size(); ++k) {
      if (i != k && table.counts[i][k] > 0) {
        pairs.push_back({i, k, table.counts[i][k]});
      }
    }
  }
  const std::size_t kept = std::min(most, pairs.size());
  std::ranges::partial_sort(
      pairs,
      pairs.begin() + static_cast<std::ptrdiff_t>(kept),
      [](const Mistaken& a, const Mistaken& b) {
        return std::tuple(-a.count, a.label, a.prediction) <
            std::tuple(-b.count, b.label, b.prediction);
      });
  pairs.resize(kept);
  return pairs;
}

std::vector<ClassResult> read_per_class(const fs::path& file) {
  const std::vector<TableRow> rows = read_table(file);
  std::vector<ClassResult> results;
  if (rows.empty()) {
    return results;
  }
  const auto column = [&](const char* name) {
    const auto found = std::ranges::find(rows.front(), name);
    VITRAIN_CHECK_DATA(
        found != rows.front().end(),
        "{}: has no column '{}'",
        printable(file.native()),
        name);
    return static_cast<std::size_t>(found - rows.front().begin());
  };
  const std::size_t name = column("class");
  const std::size_t count = column("count");
  const std::size_t correct = column("correct");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    results.push_back(
        {.name = rows[i][name],
         .count = count_of(rows[i][count], file),
         .correct = count_of(rows[i][correct], file)});
  }
  return results;
}

} // namespace vitrain::report
