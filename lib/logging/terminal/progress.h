#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/sections/log.h"
#include "core/system/clock.h"
#include "logging/terminal/console.h"
#include "logging/terminal/terminal_style.h"

namespace vitrain::logging {

enum class Phase { kTrain, kEval };

// Updates of other workers between a gradient's weights and its own update.
struct ShownStaleness {
  double mean = 0.0;
  std::int64_t largest = 0;
};

// Where a run is. The metrics are the caller's means over whatever span it
// chooses to show; over all workers.
struct ProgressState {
  Phase phase = Phase::kTrain;
  std::int64_t epoch = 0; // from 1
  std::int64_t epochs = 0;
  std::int64_t batch = 0; // done of this epoch (steps), or of this evaluation
  std::int64_t batches = 0;
  double loss = 0.0;
  std::optional<double> top1; // percent; nullopt without classes
  std::optional<double> top5; // percent
  double lr = 0.0; // not shown in Phase::kEval
  double images_per_second = 0.0; // of all workers together
  double data_wait = 0.0; // fraction of the time spent waiting for data
  // Gradient exchange per step and worker; bytes 0: there is none.
  std::int64_t comm_bytes = 0;
  double comm_wait = 0.0; // fraction of the time that steps waited for it
  std::optional<ShownStaleness> staleness{}; // in modes that measure it
  std::int64_t bad_samples = 0; // number of distinct samples replaced so far
  std::string unsaved{}; // problem with checkpoints, or ""
  double eta_seconds = 0.0; // negative or not finite: unknown
};

// One line for a file, without colours or control characters:
// "epoch 3/10  batch 120/156  loss 1.2345  top1 56.25  top5 90.10  lr 9.8e-04
//  img/s 1,234  wait 0.3%  comm 4.1 MiB 12.3%  stale 0.75 (2)  bad 3  eta
//  1:23"; "eval  " before it, and neither lr, comm nor stale, in Phase::kEval;
// "stale" (mean and largest) and "bad" where there are such; "UNSAVED 3 saves
// failed, last of step 40" where they do.
std::string plain_line(const ProgressState& state);

// Returns the line of one of several workers for its own log: "worker 1 epoch
// 3/10 batch 120/156 loss 1.2345 top1 56.25 samples 320 img/s 617 wait 0.3%
// comm 4.1 MiB 12.3%"; without loss if `samples` is 0.
std::string
worker_line(int rank, std::int64_t samples, const ProgressState& state);

// One line for a terminal, with a bar, at most style.columns - 1 wide: what
// matters least is left out until the rest fits.
std::string live_line(const ProgressState& state, const TerminalStyle& style);

// An epoch that has ended.
struct EpochSummary {
  std::int64_t epoch = 0; // from 1
  std::int64_t epochs = 0;
  std::optional<double> loss; // mean over the training samples
  std::optional<double> eval_loss; // of the evaluation at its end
  std::optional<double> top1; // percent, as the others
  std::optional<double> top5;
  std::optional<double> map;
  bool best = false; // no evaluation before was better
  double lr = 0.0;
  double seconds = 0.0; // with its evaluation
};

// The line that stays on a terminal: "epoch 3/10  loss 0.4512  eval loss 0.5123
// top1 85.30 %  lr 9.8e-04  time 0:12  best", at most style.columns wide: what
// matters least is left out until the rest fits.
std::string epoch_line(const EpochSummary& epoch, const TerminalStyle& style);

// Returns the completed fraction, 0 to 1.
double share_done(std::int64_t done, std::int64_t all);

// Returns a bar of exactly `width` columns with the fraction `share` done: in
// half columns with box-drawing characters, otherwise as [===> ].
std::string work_bar(double share, int width, const TerminalStyle& style);

// How far a piece of work is: "reading ----- 123/1,000  456/s  eta 0:12", at
// most style.columns - 1 wide.
std::string work_line(
    const std::string& what,
    std::int64_t done,
    std::int64_t all,
    double seconds,
    const TerminalStyle& style);

// The live line at the bottom of a console, redrawn at most ten times a second.
// The console must outlive it.
class LiveLine {
 public:
  explicit LiveLine(Console& console) : console_(console) {}
  ~LiveLine() { clear(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // Whether it would be drawn now.
  bool is_due() const;
  void draw(const std::string& text);
  // Removes it.
  void clear();

 private:
  Console& console_;
  Stopwatch since_drawn_;
  bool drawn_ = false;
};

// Shows work_line() as a live line; nothing on other consoles.
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

// Shows the progress of a run on a console as config::LogConfig::progress
// says: a live line on a terminal, plain lines in the log file and elsewhere.
class ProgressDisplay {
 public:
  // kLine without a terminal is kPlain. The console must outlive it.
  ProgressDisplay(Console& console, config::ProgressKind kind);

  // True when update() would redraw now. It does so ten times a second at
  // most, and never without a live line: a caller can save itself the work of
  // making the state.
  bool wants_update() const;
  // Redraws the live line if wants_update().
  void update(const ProgressState& state);
  // Logs a state (every log.every steps): a plain line to the log file, and to
  // the terminal if it has no live line.
  void milestone(const ProgressState& state);
  // Removes the live line.
  void clear() { line_.clear(); }
  // Whether an epoch leaves a line of its own on the terminal: where lines of
  // milestones do not stay.
  bool keeps_epochs() const {
    return kind_ == config::ProgressKind::kLine && console_.is_live();
  }

 private:
  Console& console_;
  LiveLine line_;
  config::ProgressKind kind_;
};

} // namespace vitrain::logging
