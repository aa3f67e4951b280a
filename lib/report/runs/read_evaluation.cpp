#include "report/runs/read_evaluation.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/text/text.h"
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

NamedConfusion read_confusion(const fs::path& file) {
  const std::vector<TableRow> rows = read_table(file);
  NamedConfusion table;
  if (rows.empty()) {
    return table;
  }
  table.classes.assign(rows.front().begin() + 1, rows.front().end());
  const std::int64_t classes = std::ssize(table.classes);
  VITRAIN_CHECK_DATA(
      std::ssize(rows) == classes + 1,
      "{}: has {} rows for {} classes",
      printable(file.native()),
      rows.size() - 1,
      classes);
  results::Confusion::Cells cells;
  for (std::int32_t label = 0; label < classes; ++label) {
    const TableRow& row = rows[static_cast<std::size_t>(label) + 1];
    for (std::int32_t prediction = 0; prediction < classes; ++prediction) {
      const std::int64_t count =
          count_of(row[static_cast<std::size_t>(prediction) + 1], file);
      if (count > 0) {
        cells[{label, prediction}] = count;
      }
    }
  }
  table.counts = results::Confusion(classes, std::move(cells));
  return table;
}

namespace {

constexpr const char* kPrecision = "average_precision";

} // namespace

std::vector<NamedClass> read_per_class(const fs::path& file) {
  const std::vector<TableRow> rows = read_table(file);
  std::vector<NamedClass> results;
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
  const bool lists =
      std::ranges::find(rows.front(), kPrecision) != rows.front().end();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    results.push_back(
        {.name = rows[i][name],
         .result = {
             .count = count_of(rows[i][count], file),
             .correct = count_of(rows[i][correct], file)}});
    double precision = 0.0;
    if (lists && parse_double(rows[i][column(kPrecision)], precision)) {
      results.back().average_precision = precision;
    }
  }
  return results;
}

} // namespace vitrain::report
