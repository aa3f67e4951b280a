#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "logging/record_sink.h"
#include "options/metric.h"

namespace vitrain::logging {

// Writer of metrics.jsonl: one JSON object per line, each appended by a single
// write.
class JsonlWriter {
 public:
  // Never throws: records that cannot be written are dropped and counted by
  // sink().
  explicit JsonlWriter(const std::filesystem::path& path)
      : sink_(RecordSink::open(path)) {}

  void write(const Json& record) { sink_.write(to_line(record) + "\n"); }
  const RecordSink& sink() const { return sink_; }

 private:
  RecordSink sink_;
};

// Makes a metrics.jsonl continue at `step` (of the checkpoint from which a run
// resumes). Removes the first record with a larger "step" and all records after
// it, and every line that is not a complete JSON object (a crash can truncate
// the last one). Ignores a missing file; keeps records without a step. Calls
// `kept` with each remaining record, in order. Returns the number of removed
// lines. Throws Error(kStorage).
std::int64_t truncate_jsonl_after(
    const std::filesystem::path& path,
    std::int64_t step,
    const std::function<void(const Json&)>& kept = [](const Json&) {});

// Row of summary.csv: an evaluation, and the training since the previous one.
// nullopt is an empty cell.
struct SummaryRow {
  std::int64_t epoch = 0;
  std::int64_t step = 0;
  std::optional<double> train_loss;
  std::optional<double> train_top1; // in percent
  // One value per metric of summary_metrics().
  std::vector<std::optional<double>> eval{};
  // Metrics of averaged weights; empty: the table has no such columns.
  std::vector<std::optional<double>> averaged{};
  std::optional<double> lr;
  std::optional<double> images_per_second;
  std::optional<double> comm_wait; // fraction of time
  std::optional<double> seconds; // since the process began to record
};

// Optional columns of summary.csv.
struct SummaryColumns {
  bool averages = false; // metrics of averaged weights
  bool real_labels = false; // metrics of eval.real_labels
  bool label_lists = false; // metrics of data.eval.multi_label
};

// Returns the metrics that have columns.
std::vector<MetricInfo> summary_metrics(const SummaryColumns& columns);

// Returns "epoch,step,train_loss,...": the names of SummaryRow's fields, in
// order, with the prefix "eval_" for metrics and, with `averages`, "ema_" for
// metrics of averaged weights.
std::string summary_header(const SummaryColumns& columns = {});

// Returns a row without newline. Numbers parse back to exactly the same double.
std::string summary_text(const SummaryRow& row);

// Writer of summary.csv: a header and one row per evaluation.
class CsvWriter {
 public:
  // Writes the header if the file is new or empty. Never throws: rows that
  // cannot be written are dropped and counted by sink().
  explicit CsvWriter(
      const std::filesystem::path& path,
      const SummaryColumns& columns = {});

  void write(const SummaryRow& row);
  const RecordSink& sink() const { return sink_; }

 private:
  RecordSink sink_;
};

// As truncate_jsonl_after(), for summary.csv. Also removes lines with another
// number of cells than the header or a step that is not a number, and all lines
// if the header is not that of `columns`.
std::int64_t truncate_csv_after(
    const std::filesystem::path& path,
    std::int64_t step,
    const SummaryColumns& columns = {});

} // namespace vitrain::logging
