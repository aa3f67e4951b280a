#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/rules/timeline.h"
#include "core/json.h"
#include "core/system/clock.h"
#include "core/system/lock_lease.h"
#include "engine/device/observer.h"
#include "engine/step/metrics.h"
#include "engine/step/reports.h"
#include "job/run/job.h"
#include "job/run/run_state.h"
#include "logging/banner.h"
#include "logging/console.h"
#include "logging/metrics_log.h"
#include "logging/progress.h"

namespace vitrain::report {
class LiveReport;
} // namespace vitrain::report

namespace vitrain::engine {

// Fewest classes for which top-5 is shown.
inline constexpr std::int64_t kTop5Choices = 6;

// Terminal, log file and records of a run: metrics.jsonl, summary.csv,
// TensorBoard, report.html, trackers such as MLflow. Rank 0 shows and records
// the whole run; other ranks write their own log file and, with log.ranks: all,
// to the terminal. Records that cannot be written are dropped; the end of the
// run reports that. hold(), step_begins() and functions that call hold() throw
// Error(kStorage) if another process has taken over the run.
class Reporter : public Observer {
 public:
  Reporter(
      const job::Job& job,
      int rank,
      int world,
      const logging::ConsoleOptions& console =
          logging::console_options_from_environment());
  ~Reporter() override;

  logging::Console& console() override { return console_; }

  void hold() override {
    if (lease_) {
      lease_->check();
    }
  }
  // Rank 0: reads the lock and returns true if another process has taken over
  // the run. Returns false on other ranks.
  bool is_lost() { return lease_ && lease_->is_lost(); }

  // Call on every rank: sets the length of the run; rank 0 prints the banner.
  // `length`: nullopt for an evaluation.
  void start(
      const std::string& title,
      const std::vector<logging::BannerSection>& sections,
      std::optional<RunLength> length);
  // Sets the number of classes that predictions choose from. With fewer than
  // kTop5Choices, top-5 is always correct and is not shown.
  void choices(std::int64_t classes) { shows_top5_ = classes >= kTop5Choices; }
  // Rank 0: opens the record files of the run folder and writes `start`, a
  // result of start_record(). If `start` has `resumed_step`, the files lose the
  // records of later steps.
  void open_records(const Json& start);
  void resumed(std::int64_t step, const job::Best& best) override;

  void step_begins() override;
  void step_ended(std::int64_t step) override;

  void train(const TrainReport& report) override;
  void bad_samples(const GatheredBadSamples& gathered) override;
  void clipped_images(
      const std::string& what,
      const data::Rows& rows,
      const data::Batch& batch) override;
  void evaluating(std::int64_t done, std::int64_t batches) override;
  void evaluated(
      std::int64_t step,
      const Evaluated& found,
      const std::optional<job::Best>& best) override;
  void picture(
      const std::string& name,
      const logging::Picture& picture,
      std::int64_t step) override {
    records().picture(name, picture, name + ".png", step);
  }
  void show_warnings() override {
    const std::string text = main_ ? metrics_->take_warning() : "";
    if (!text.empty()) {
      console_.warn(text);
    }
  }
  void saved(std::int64_t step, const std::string& path, const SaveTimes& times)
      override;
  void epoch_ended(std::int64_t step, double lr) override;
  void pruned(
      std::int64_t step,
      std::int64_t zeros,
      std::int64_t weights,
      bool last) override;
  void unsaved(const std::string& text) override { unsaved_ = text; }
  // Clears the progress display: the run ends with an error, which the
  // supervisor prints.
  void failed() { progress_.clear(); }
  // Rank 0: prints and records the end of the run. `outcome`: text about it;
  // `step`: number of completed steps; `memory`: peak memory of the worker in
  // bytes.
  void finish(
      ExitCode code,
      const std::string& outcome,
      std::int64_t step,
      std::int64_t memory);

 private:
  // Returns the record files, after hold().
  logging::MetricsLog& records() {
    hold();
    return *metrics_;
  }
  void own_train(const TrainReport& report); // logs this rank's part
  // `times`: nullopt if an earlier process saved it.
  void record_checkpoint(
      std::int64_t step,
      const std::string& path,
      const std::optional<SaveTimes>& times);
  // Counts clipped images of all workers, and warns if this process has not
  // warned about any yet.
  void add_clipped(std::int64_t images, const std::string& what);
  void warn_clipped(const std::string& what, const std::string& where);
  // Returns the epoch (from 1) of a step (from 1; step 0 counts as 1); 0 in an
  // evaluation.
  std::int64_t epoch_of(std::int64_t step) const;
  // Return the number of a step's batch within its epoch, counted from 0 if
  // log.count is epoch, otherwise from 1; and the number of batches in that
  // epoch. Both 0 in an evaluation.
  std::int64_t batch_of(std::int64_t step) const;
  std::int64_t batches_at(std::int64_t step) const;
  // Returns false for an evaluation without records, whose folder is not kept.
  bool keeps_folder() const;
  // Open report.html if metrics.jsonl is written; write its last version at the
  // end.
  void open_report();
  void end_report();
  void tell_cost(); // logs the time spent on report.html
  // Returns the problems to list at the end of the run (bad samples, clipped
  // images, failed records), one sentence each.
  std::vector<std::string> problems() const;
  // Returns the path relative to the working directory if it is below that,
  // otherwise unchanged.
  std::string shown_path(const std::string& path) const;
  // tells(): evaluations record the metric; shows(): they also print it.
  bool tells(const MetricInfo& metric) const;
  bool shows(const MetricInfo& metric, const Evaluated& found) const;
  // Returns true if this step ends an epoch whose line stays on the terminal.
  bool ends_epoch(std::int64_t step) const;
  void add_to_epoch(const TrainReport& report);
  void add_to_epoch(const Evaluated& found, bool best);
  // Sets resumed_step_ to `step` and, if metrics.jsonl can be read,
  // earlier_seconds_ to the training time until then. Does nothing for step 0.
  void add_earlier_time(std::int64_t step);
  void end_records(ExitCode code, std::int64_t step, std::int64_t memory);
  logging::BannerSection commands(ExitCode code) const;
  // Returns "epoch 3/10 eval top1 56.25 % (...) in 0:03".
  std::string eval_line(std::int64_t step, const Evaluated& found) const;

  const job::Job& job_;
  std::unique_ptr<LockLease> lease_; // lease on the run folder's lock
  int rank_;
  bool main_; // rank 0
  bool alone_; // the only worker
  bool classes_; // each sample has one class: top-1 and top-5 are defined
  logging::Console console_;
  logging::ProgressDisplay progress_;
  std::unique_ptr<logging::MetricsLog> metrics_;
  std::unique_ptr<report::LiveReport> report_;
  std::string eval_precision_;
  RunLength length_;
  Stopwatch watch_;
  // Times of this process's first step, in seconds since the process started;
  // the begin is -1 after both have been recorded.
  std::optional<double> first_step_begin_;
  std::optional<double> first_step_end_;
  logging::ProgressState shown_;
  // Last evaluation of the weights that checkpoint.metric judges.
  std::optional<Evaluated> last_eval_;
  logging::EpochSummary epoch_; // current epoch
  // Sums over the reports since the last epoch_ended().
  double epoch_loss_ = 0.0; // sum of the samples' losses
  double epoch_samples_ = 0.0;
  std::int64_t epoch_begin_ = 0; // completed steps when the epoch began
  // Number of completed steps before the first and after the last step of the
  // reports in epoch_loss_.
  std::int64_t sums_begin_ = 0;
  std::int64_t sums_end_ = 0;
  Stopwatch epoch_watch_;
  double earlier_seconds_ = 0.0; // training time of earlier processes
  std::int64_t resumed_step_ = 0; // 0: the run started from the beginning
  bool shows_top5_ = true;
  std::optional<job::Best> best_;
  std::optional<std::string> checkpoint_;
  std::string pruned_; // text about train.prune at the end
  std::string unsaved_;
  double train_seconds_ = 0.0, train_samples_ = 0.0;
  std::int64_t bad_samples_ = 0;
  bool told_clipped_ = false;
  std::int64_t clipped_images_ = 0; // of all workers, counted at every read
};

} // namespace vitrain::engine
