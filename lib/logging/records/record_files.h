#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/text/json.h"
#include "logging/records/record_sink.h"
#include "options/metric.h"

namespace vitrain::logging {

// metrics.jsonl: one JSON object per line, appended by one write each.
class JsonlWriter {
 public:
  // Never throws; see RecordSink for what happens to records that cannot be
  // written.
  explicit JsonlWriter(const std::filesystem::path& path)
      : sink_(RecordSink::open(path)) {}

  void write(const Json& record) { sink_.write(to_line(record) + "\n"); }
  const RecordSink& sink() const { return sink_; }

 private:
  RecordSink sink_;
};

// Makes a metrics.jsonl continue at `step` (that of the checkpoint a run is
// resumed from): removes the first record with a larger "step" and all that
// follow it, and every line that is not a whole JSON object (a crash can tear
// the last one). A missing file is left missing. Returns the number of lines
// removed; throws Error(kStorage).
std::int64_t truncate_jsonl_after(
    const std::filesystem::path& path,
    std::int64_t step);

// One row of summary.csv: an evaluation, and the training since the one
// before it. A value that does not exist is an empty cell.
struct SummaryRow {
  std::int64_t epoch = 0;
  std::int64_t step = 0;
  std::optional<double> train_loss;
  std::optional<double> train_top1; // percent
  std::vector<std::optional<double>> eval{}; // of each metric with a column
  // The same of averaged weights; empty: the table has no columns for them.
  std::vector<std::optional<double>> averaged{};
  std::optional<double> lr;
  std::optional<double> images_per_second;
  std::optional<double> comm_wait; // share of the time
  std::optional<double> seconds; // since the process started the run
};

// Which columns a run has beside those that all have.
struct SummaryColumns {
  bool averages = false; // metrics of averaged weights
  bool real_labels = false; // metrics of eval.real_labels
  bool label_lists = false; // metrics of data.eval.multi_label
};

// The metrics that have columns.
std::vector<MetricInfo> summary_metrics(const SummaryColumns& columns);

// "epoch,step,train_loss,...": the names of SummaryRow's fields, in order, with
// "eval_" before those of metrics, and "ema_" before those of averaged weights,
// where there are `averages`.
std::string summary_header(const SummaryColumns& columns = {});

// A row without its newline: numbers parse back to exactly the same double.
std::string summary_text(const SummaryRow& row);

// summary.csv: a header and one row per evaluation.
class CsvWriter {
 public:
  // Writes the header to a file that is new or empty. Never throws; see
  // RecordSink for what happens to rows that cannot be written.
  explicit CsvWriter(
      const std::filesystem::path& path,
      const SummaryColumns& columns = {});

  void write(const SummaryRow& row);
  const RecordSink& sink() const { return sink_; }

 private:
  RecordSink sink_;
};

// As truncate_jsonl_after(), for summary.csv: lines other than the header
// that do not have the header's number of cells or whose step is no number go
// too, and so does everything when the header is not this one.
std::int64_t truncate_csv_after(
    const std::filesystem::path& path,
    std::int64_t step,
    const SummaryColumns& columns = {});

} // namespace vitrain::logging
