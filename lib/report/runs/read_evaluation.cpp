#include "report/runs/read_evaluation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "data/sources/lines.h"

namespace vitrain::report {
namespace {

namespace fs = std::filesystem;

using Fields = std::vector<std::string>;

// Calls `take` with the head and each of the other records of a table. Returns
// false if there is no such file or it is empty. Throws Error(kData) if a
// record has another number of fields than the head.
bool read_records(
    const fs::path& file,
    const std::function<void(const Fields& head, const Fields& record)>& take) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return false;
  }
  const std::string name = printable(file.native());
  data::CsvRecords records(
      data::open_text(file, "a table"), name, ',', data::kAnyFields);
  Fields head;
  if (!records.next(head)) {
    return false;
  }
  Fields record;
  while (records.next(record)) {
    VITRAIN_CHECK_DATA(
        record.size() == head.size(),
        "{}: line {} has {} fields, and the first one {}",
        name,
        records.number(),
        record.size(),
        head.size());
    take(head, record);
  }
  return true;
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

// Returns the field of a record in the named column; null if there is no such
// column.
const std::string*
optional_field(const Fields& head, const Fields& record, const char* name) {
  const auto found = std::ranges::find(head, name);
  return found == head.end()
      ? nullptr
      : &record[static_cast<std::size_t>(found - head.begin())];
}

const std::string& field_of(
    const Fields& head,
    const Fields& record,
    const char* name,
    const fs::path& file) {
  const std::string* field = optional_field(head, record, name);
  VITRAIN_CHECK_DATA(
      field != nullptr,
      "{}: has no column '{}'",
      printable(file.native()),
      name);
  return *field;
}

} // namespace

NamedConfusion read_confusion(const fs::path& file) {
  NamedConfusion table;
  results::Confusion::Cells cells;
  std::int32_t label = 0;
  const bool found =
      read_records(file, [&](const Fields& head, const Fields& record) {
        if (label == 0) {
          table.classes.assign(head.begin() + 1, head.end());
        }
        for (std::size_t i = 1; i < record.size(); ++i) {
          if (record[i] == "0") { // most cells
            continue;
          }
          const std::int64_t count = count_of(record[i], file);
          if (count > 0) {
            cells[{label, static_cast<std::int32_t>(i) - 1}] = count;
          }
        }
        ++label;
      });
  const std::int64_t classes = std::ssize(table.classes);
  VITRAIN_CHECK_DATA(
      !found || label == classes,
      "{}: has {} rows for {} classes",
      printable(file.native()),
      label,
      classes);
  table.counts = results::Confusion(classes, std::move(cells));
  return table;
}

results::Confusion::Cells read_confusion_pairs(
    const fs::path& file,
    std::int64_t classes) {
  results::Confusion::Cells cells;
  read_records(file, [&](const Fields& head, const Fields& record) {
    const auto number = [&](const char* name) {
      return count_of(field_of(head, record, name, file), file);
    };
    const std::int64_t label = number("label");
    const std::int64_t prediction = number("prediction");
    VITRAIN_CHECK_DATA(
        label < classes && prediction < classes,
        "{}: label {}, prediction {}: there are {} classes",
        printable(file.native()),
        label,
        prediction,
        classes);
    if (const std::int64_t count = number("count"); count > 0) {
      cells[{
          static_cast<std::int32_t>(label),
          static_cast<std::int32_t>(prediction)}] = count;
    }
  });
  return cells;
}

std::vector<NamedClass> read_per_class(const fs::path& file) {
  std::vector<NamedClass> results;
  read_records(file, [&](const Fields& head, const Fields& record) {
    NamedClass one{
        .name = field_of(head, record, "class", file),
        .result = {
            .count = count_of(field_of(head, record, "count", file), file),
            .correct =
                count_of(field_of(head, record, "correct", file), file)}};
    const std::string* with = optional_field(head, record, "confused_with");
    const std::string* times = optional_field(head, record, "confused");
    if (with != nullptr && times != nullptr && !with->empty()) {
      one.confused_with = *with;
      one.result.confused = count_of(*times, file);
    }
    double precision = 0.0;
    const std::string* listed =
        optional_field(head, record, "average_precision");
    if (listed != nullptr && parse_double(*listed, precision)) {
      one.average_precision = precision;
    }
    results.push_back(std::move(one));
  });
  return results;
}

std::vector<results::Calibration::Bin> read_reliability(const fs::path& file) {
  std::vector<results::Calibration::Bin> bins;
  read_records(file, [&](const Fields& head, const Fields& record) {
    results::Calibration::Bin bin{
        .count = count_of(field_of(head, record, "count", file), file)};
    const auto share_of = [&](const char* name) {
      double share = 0.0; // an empty bin has none
      parse_double(field_of(head, record, name, file), share);
      return std::clamp(share, 0.0, 1.0);
    };
    const auto count = static_cast<double>(bin.count);
    bin.confidence_sum = share_of("confidence") * count;
    bin.correct = std::llround(share_of("accuracy") * count);
    bins.push_back(bin);
  });
  return bins;
}

} // namespace vitrain::report
