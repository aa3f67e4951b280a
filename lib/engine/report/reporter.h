#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/rules/timeline.h"
#include "core/files/lock_lease.h"
#include "core/system/clock.h"
#include "core/text/json.h"
#include "engine/eval/metrics.h"
#include "engine/report/bad_samples.h"
#include "engine/report/reports.h"
#include "job/job.h"
#include "job/run/run_state.h"
#include "logging/records/metrics_log.h"
#include "logging/terminal/banner.h"
#include "logging/terminal/console.h"
#include "logging/terminal/progress.h"

namespace vitrain::data {
struct Batch;
class Rows;
} // namespace vitrain::data

namespace vitrain::report {
class LiveReport;
} // namespace vitrain::report

namespace vitrain::engine {

inline constexpr std::int64_t kTop5Choices = 6; // fewer have no top-5

// All output of a run: terminal, log file, metrics.jsonl, summary.csv,
// TensorBoard. Rank 0 shows and records the whole run; other ranks only write
// their own log file. Storage failures throw only from hold().
class Reporter {
 public:
  Reporter(
      const job::Job& job,
      int rank,
      int world,
      const logging::ConsoleOptions& console =
          logging::console_options_from_environment());
  ~Reporter();

  logging::Console& console() { return console_; }

  // Rank 0, before a file of the run folder is written: throws Error(kStorage)
  // if another process has taken the run over. Does nothing elsewhere, and
  // reads nothing within some seconds of the last look.
  void hold() {
    if (lease_) {
      lease_->check();
    }
  }
  // Whether another process has.
  bool is_lost() { return lease_ && lease_->is_lost(); }

  // Rank 0: the banner. `length` is absent for an evaluation.
  void start(
      const std::string& title,
      const std::vector<logging::BannerSection>& sections,
      std::optional<RunLength> length);
  // The classes that predictions choose from: of fewer than six, top-5 is right
  // always and is not shown.
  void choices(std::int64_t classes) { shows_top5_ = classes >= kTop5Choices; }
  // Rank 0: opens the files of the run folder with a start record. Files of a
  // resumed run lose the records of later steps.
  void open_records(const Json& start);
  void resumed(std::int64_t step);

  // Times of the first step since the process started. Throws as hold().
  void step_begins();
  void step_ended(std::int64_t step);

  // Every rank logs its own part; rank 0 also the totals.
  void train(const TrainReport& report);
  // Reports new bad samples of any worker.
  void bad_samples(const BadSamples::Gathered& gathered);
  // Warns, once, about images of a batch whose values were clipped. Every rank
  // may call it.
  void clipped_images(
      const std::string& what,
      const data::Rows& rows,
      const data::Batch& batch);
  void evaluating(std::int64_t done, std::int64_t batches);
  // Reports an evaluation; of several in one step, the raw weights come last.
  void evaluated(
      std::int64_t step,
      const Evaluated& found,
      const std::optional<job::Best>& best);
  // Rank 0: a picture of this step that is in the run folder as `name`.png.
  void picture(
      const std::string& name,
      const logging::Picture& picture,
      std::int64_t step) {
    records().picture(name, picture, name + ".png", step);
  }
  // Prints warnings of records that are sent elsewhere.
  void show_warnings() {
    const std::string text = main_ ? metrics_->take_warning() : "";
    if (!text.empty()) {
      console_.warn(text);
    }
  }
  void saved(std::int64_t step, const std::string& path, double seconds);
  // The last step of an epoch has been made, and what is due then done: a line
  // of the epoch stays on a terminal.
  void epoch_ended(std::int64_t step, double lr);
  // So many weights of `weights` are zero now; the end says so, too. Only the
  // `last` time, or the only one, the terminal does.
  void pruned(
      std::int64_t step,
      std::int64_t zeros,
      std::int64_t weights,
      bool last);
  // Sets the text about checkpoints in every following line; "": no problem.
  void unsaved(const std::string& text) { unsaved_ = text; }
  // The run ends with an error, which the supervisor prints.
  void failed() { progress_.clear(); }
  // Prints the end of the run on rank 0. `memory`: its peak memory in bytes.
  void finish(
      ExitCode code,
      const std::string& outcome,
      std::int64_t step,
      std::int64_t memory);

 private:
  // Where records go, after hold().
  logging::MetricsLog& records() {
    hold();
    return *metrics_;
  }
  void own_train(const TrainReport& report);
  // Counts images of all workers, and warns where nobody here has seen one.
  void add_clipped(std::int64_t images, const std::string& what);
  void warn_clipped(const std::string& what, const std::string& where);
  std::int64_t epoch_of(std::int64_t step) const;
  // In its epoch, counted as log.count says; and how many there are in it.
  std::int64_t batch_of(std::int64_t step) const;
  std::int64_t batches_at(std::int64_t step) const;
  // False for an evaluation without records.
  bool keeps_folder() const;
  // Open report.html if there are records; write its last version.
  void open_report();
  void end_report();
  void tell_cost(); // after the last page
  // Returns problems outside training, one sentence each.
  std::vector<std::string> problems() const;
  std::string shown_path(const std::string& path) const;
  // Whether evaluations record it, and whether people are shown it.
  bool tells(const MetricInfo& metric) const;
  bool shows(const MetricInfo& metric, const Evaluated& found) const;
  // Whether an epoch, whose line stays on the terminal, ends with this step.
  bool ends_epoch(std::int64_t step) const;
  void add_to_epoch(const TrainReport& report);
  void add_to_epoch(const Evaluated& found, bool best);
  // Of the processes before this one, as their records say.
  void add_earlier_time(std::int64_t step);
  void end_records(ExitCode code, std::int64_t step, std::int64_t memory);
  logging::BannerSection commands(ExitCode code) const;
  // Returns "epoch 3/10 eval top1 56.25 % (...) in 0:03".
  std::string eval_line(std::int64_t step, const Evaluated& found) const;

  const job::Job& job_;
  std::unique_ptr<LockLease> lease_; // on the run folder
  int rank_;
  bool main_; // rank 0
  bool alone_; // the only worker
  bool classes_; // one of each sample: top-1 and top-5 have a meaning
  logging::Console console_;
  logging::ProgressDisplay progress_;
  std::unique_ptr<logging::MetricsLog> metrics_;
  std::unique_ptr<report::LiveReport> report_;
  std::string eval_precision_;
  RunLength length_;
  Stopwatch watch_;
  std::optional<double> first_step_begin_;
  std::optional<double> first_step_end_;
  logging::ProgressState shown_;
  std::optional<Evaluated> last_eval_; // of the weights that are judged
  logging::EpochSummary epoch_; // that is under way
  double epoch_loss_ = 0.0; // sum over its samples
  double epoch_samples_ = 0.0;
  std::int64_t epoch_begin_ = 0; // steps made when the epoch began
  // Steps made when the first report of these sums began, and at the last one.
  std::int64_t sums_begin_ = 0;
  std::int64_t sums_end_ = 0;
  Stopwatch epoch_watch_;
  double earlier_seconds_ = 0.0;
  std::int64_t resumed_step_ = 0;
  bool shows_top5_ = true;
  std::optional<job::Best> best_;
  std::optional<std::string> checkpoint_;
  std::string pruned_; // text about train.prune at the end
  std::string unsaved_;
  double train_seconds_ = 0.0, train_samples_ = 0.0;
  std::int64_t bad_samples_ = 0;
  bool told_clipped_ = false;
  std::int64_t clipped_images_ = 0; // rows of all workers, as they were read
};

} // namespace vitrain::engine
