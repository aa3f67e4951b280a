#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/sections/log.h"
#include "core/system/clock.h"
#include "logging/console.h"
#include "logging/terminal_style.h"

namespace vitrain::logging {

enum class Phase { kTrain, kEval };

// Staleness of a gradient: number of other workers' updates between reading the
// weights and applying the gradient.
struct ShownStaleness {
  double mean = 0.0;
  std::int64_t largest = 0;
};

// Progress of a run. Metrics are means over all workers and over a span that
// the caller chooses.
struct ProgressState {
  Phase phase = Phase::kTrain;
  std::int64_t epoch = 0; // counted from 1
  std::int64_t epochs = 0;
  std::int64_t batch = 0; // completed in this epoch (steps) or evaluation
  std::int64_t batches = 0;
  double loss = 0.0;
  std::optional<double> top1; // percent; nullopt without classes
  std::optional<double> top5; // percent
  double lr = 0.0; // not shown in Phase::kEval
  double images_per_second = 0.0; // total of all workers
  double data_wait = 0.0; // fraction of the time spent waiting for data
  // Bytes that a worker sends per step for the gradient exchange; 0: none.
  std::int64_t comm_bytes = 0;
  // Fraction of the time spent waiting for the gradient exchange.
  double comm_wait = 0.0;
  std::optional<ShownStaleness> staleness{}; // in modes that measure it
  std::int64_t bad_samples = 0; // number of distinct samples replaced so far
  std::string unsaved{}; // problem with saving checkpoints; "" if none
  double eta_seconds = 0.0; // negative or not finite: unknown
};

// Returns a line for a file, without colours or control characters:
// "epoch 3/10  batch 120/156  loss 1.2345  top1 56.25  top5 90.10  lr 9.8e-04
//  img/s 1,234  wait 0.3%  comm 4.1 MiB 12.3%  stale 0.75 (2)  bad 3  eta 1:23"
// In Phase::kEval it begins with "eval  " and has no lr, comm and stale. Left
// out are "top1" and "top5" if nullopt, "comm" (bytes, wait) if comm_bytes is
// 0, "stale" (mean, largest) if nullopt, "bad" if 0, and "UNSAVED 3 saves
// failed, last of step 40" if `unsaved` is "".
std::string plain_line(const ProgressState& state);

// Returns the line about one worker alone in its log: "worker 1  epoch 3/10
// batch 120/156  loss 1.2345  top1 56.25  samples 320  img/s 617  wait 0.3%
// comm 4.1 MiB 12.3%". `samples`: number of samples behind loss and top1; 0: no
// loss.
std::string
worker_line(int rank, std::int64_t samples, const ProgressState& state);

// Returns a line for a terminal, with a bar, at most style.columns - 1 wide.
// Removes less important parts until the rest fits.
std::string live_line(const ProgressState& state, const TerminalStyle& style);

// Result of a completed epoch.
struct EpochSummary {
  std::int64_t epoch = 0; // counted from 1
  std::int64_t epochs = 0;
  std::optional<double> loss; // mean over the training samples
  std::optional<double> eval_loss; // from the evaluation at its end
  std::optional<double> top1; // in percent, like top5 and map
  std::optional<double> top5;
  std::optional<double> map;
  bool best = false; // no earlier evaluation was better
  double lr = 0.0;
  double seconds = 0.0; // including its evaluation
};

// Returns the line of an epoch that remains on a terminal: "epoch 3/10  loss
// 0.4512  eval loss 0.5123  top1 85.30 %  lr 9.8e-04  time 0:12  best", at most
// style.columns wide. Removes less important parts until the rest fits.
std::string epoch_line(const EpochSummary& epoch, const TerminalStyle& style);

// Returns done / all, clamped to [0, 1]; 0 if `all` is not positive.
double share_done(std::int64_t done, std::int64_t all);

// Returns a bar of exactly `width` columns of which the fraction `share` is
// filled: with style.unicode in half columns, else as [===> ].
std::string work_bar(double share, int width, const TerminalStyle& style);

// Returns the progress of a task: "reading ----- 123/1,000  456/s  eta 0:12",
// at most style.columns - 1 wide. `seconds`: time since the task began; the
// time left is unknown while `done` is 0.
std::string work_line(
    const std::string& what,
    std::int64_t done,
    std::int64_t all,
    double seconds,
    const TerminalStyle& style);

// Live line at the bottom of a console. Callers redraw it only if is_due(), at
// most ten times a second. The console must outlive it.
class LiveLine {
 public:
  explicit LiveLine(Console& console) : console_(console) {}
  ~LiveLine() { clear(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // True if the console has a live line and it was not drawn within the last
  // kRedrawSeconds; draw() does not check this.
  bool is_due() const;
  void draw(const std::string& text);
  // Removes the live line.
  void clear();

 private:
  Console& console_;
  Stopwatch since_drawn_;
  bool drawn_ = false;
};

// Shows work_line() as a live line, if the console has one.
class WorkProgress {
 public:
  // The console must outlive it.
  WorkProgress(Console& console, std::string what)
      : console_(console), line_(console), what_(std::move(what)) {}

  void update(std::int64_t done, std::int64_t all);

 private:
  Console& console_;
  LiveLine line_;
  std::string what_;
  Stopwatch watch_;
};

// Shows the progress of a run on a console, as config::LogConfig::progress
// selects: a live line on a terminal; plain lines in the log file and on other
// outputs.
class ProgressDisplay {
 public:
  // kAuto and kLine mean a live line if console.is_live(), else kPlain. The
  // console must outlive this.
  ProgressDisplay(Console& console, config::ProgressKind kind);

  // True if update() would redraw now: at most ten times a second, and never
  // without a live line. The caller need not prepare a state otherwise.
  bool wants_update() const;
  // Redraws the live line if wants_update().
  void update(const ProgressState& state);
  // Prints a state (every log.every steps) as a plain line in the log file, and
  // on the terminal if it has no live line. Does nothing with kOff.
  void milestone(const ProgressState& state);
  // Removes the live line.
  void clear() { line_.clear(); }
  // True if the caller should print epoch_line() for each epoch: if the
  // terminal has a live line, and therefore no lines of milestone().
  bool keeps_epochs() const {
    return kind_ == config::ProgressKind::kLine && console_.is_live();
  }

 private:
  Console& console_;
  LiveLine line_;
  config::ProgressKind kind_;
};

} // namespace vitrain::logging
