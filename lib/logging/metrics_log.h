#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/sections/recipe.h"
#include "core/error.h"
#include "core/json.h"
#include "core/system/clock.h"
#include "logging/mlflow.h"
#include "logging/record_files.h"
#include "logging/tensorboard.h"

namespace vitrain::logging {

// Means over the train records added since clear(), weighted by their numbers
// of samples: the training columns of a row of summary.csv.
class TrainSpan {
 public:
  void add(const Json& train_record);
  void clear() { *this = TrainSpan(); }
  // Sets train_loss, train_top1, comm_wait, lr (the last one) and
  // images_per_second (samples over time); nullopt for values that no record
  // had, except images_per_second, which then stays unchanged.
  void fill(SummaryRow& row) const;

 private:
  struct Mean {
    double sum = 0.0;
    double weight = 0.0;

    std::optional<double> value() const {
      return weight > 0.0 ? std::optional(sum / weight) : std::nullopt;
    }
  };
  Mean loss_;
  Mean top1_;
  Mean comm_wait_;
  Mean seconds_per_image_;
  std::optional<double> lr_;
};

// Writes each record of a run to the outputs of config::LogConfig:
// metrics.jsonl (every record), summary.csv (a row per `eval` record of raw
// weights, with the metrics of the preceding record of averaged weights),
// TensorBoard events (numbers of `train` and `eval` records except steps,
// batches and counts, as "train/loss", "eval/top1"; averaged weights as
// "eval_ema/top1"), and the same numbers to the server of log.mlflow after
// begin(). Only rank 0 has a MetricsLog. Never throws: records that cannot be
// written are dropped and counted. Thread-safe.
class MetricsLog {
 public:
  // With `resumed_step`, the files continue at that step: later records and
  // incomplete lines of the last process are removed, and TensorBoard discards
  // later events. The next row of summary.csv covers also the train records of
  // metrics.jsonl since the last evaluation. `columns`: optional columns of
  // summary.csv.
  MetricsLog(
      const std::filesystem::path& folder,
      const config::LogConfig& options,
      std::optional<std::int64_t> resumed_step = std::nullopt,
      const SummaryColumns& columns = {}) noexcept;

  // Writes a record, whose "kind" is start, train, eval, checkpoint or done.
  // "loss" and "top1" of a train record are means over the "count" samples
  // since the previous train record; top1 and top5 are in percent.
  void write(const Json& record) noexcept;
  // Records the settings of the run as TensorBoard's hyperparameters and, if
  // log.mlflow is set, begins the MLflow run with them as parameters.
  void begin(const config::Recipe& recipe) noexcept;
  // Adds `picture` to TensorBoard, with `tag` and `step`, and sends MLflow
  // `file` (relative to the run folder), to which the caller has written the
  // same picture.
  void picture(
      std::string_view tag,
      const Picture& picture,
      const std::string& file,
      std::int64_t step) noexcept;
  // Adds the last evaluation's confusion matrix to TensorBoard, sends MLflow
  // the run's summary.csv, report.html and the evaluation's pictures and
  // per_class.csv, as far as they exist, and records how the run ended (its
  // `done` record; without one, as failed) in both. Call it after the last
  // record and after all these files are written. Waits for a server of
  // log.mlflow for up to MlflowLog::kLongestEnd.
  void close() noexcept;
  // Returns a warning about log.mlflow for the user, each once; "" if there is
  // none.
  std::string take_warning() noexcept;
  // Adds a Markdown text (the recipe) to TensorBoard's text page.
  void text(std::string_view tag, std::string_view markdown) noexcept;

  // True if metrics.jsonl has no `checkpoint` record of `resumed_step`: the
  // process that saved it ended before it wrote one.
  bool lacks_checkpoint() const noexcept {
    return jsonl_ && resumed_step_ > checkpoint_step_;
  }
  // Number of records that could not be written, counted once per output;
  // without MLflow.
  std::int64_t dropped() const noexcept;
  // Returns sentences about dropped records, also of MLflow, with the reasons;
  // "" if there are none.
  std::string problem() const;

 private:
  struct Output {
    const char* name;
    const RecordSink* sink; // null: not enabled
  };

  // Calls `work`; keeps the message of an exception for problem().
  template <typename Work>
  void attempt(const Work& work) noexcept;
  std::array<Output, 3> outputs() const noexcept;
  void end_session(ExitCode code);
  // Updates span_, span_is_done_ and checkpoint_step_ with a record that is
  // written or that was read from metrics.jsonl.
  void follow(const Json& record);
  void write_summary(const Json& record, bool raw);
  void write_scalars(const Json& record, const std::string& prefix);

  std::filesystem::path folder_;

  mutable std::mutex mutex_;
  Stopwatch watch_;
  std::int64_t resumed_step_ = 0;
  std::int64_t checkpoint_step_ = 0; // of the last `checkpoint` record; 0: none
  std::int64_t last_step_ = 0;
  std::optional<JsonlWriter> jsonl_;
  std::optional<CsvWriter> csv_;
  std::optional<TensorBoardWriter> tensorboard_;
  std::optional<MlflowLog> mlflow_;
  TrainSpan span_;
  SummaryColumns columns_;
  // Metrics of the averaged weights, until the record of the raw weights.
  std::vector<std::optional<double>> averaged_;
  bool span_is_done_ = false;
  std::int64_t failed_ = 0; // records that failed before they reached an output
  std::string failure_;
  std::string warning_;
  ExitCode exit_ = ExitCode::kInternal; // until a `done` record sets it
};

} // namespace vitrain::logging
