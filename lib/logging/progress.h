#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/sections/log.h"
#include "core/clock.h"
#include "logging/console.h"
#include "logging/terminal_style.h"

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
  std::optional<double> top1; // percent; none where there are no classes
  std::optional<double> top5; // percent
  double lr = 0.0; // not shown in Phase::kEval
  double images_per_second = 0.0; // of all workers together
  double data_wait = 0.0; // fraction of the time spent waiting for data
  // Gradient exchange per step and worker; bytes 0: there is none.
  std::int64_t comm_bytes = 0;
  double comm_wait = 0.0; // fraction of the time that steps waited for it
  std::optional<ShownStaleness> staleness{}; // in modes that measure it
  std::int64_t bad_samples = 0; // different ones that were replaced so far
  std::string unsaved{}; // what is wrong with checkpoints; "": nothing
  double eta_seconds = 0.0; // negative or not finite: unknown
};

// One line for a file, without colours or control characters:
// "epoch 3/10  batch 120/156  loss 1.2345  top1 56.25  top5 90.10  lr 9.8e-04
//  img/s 1,234  wait 0.3%  comm 4.1 MiB 12.3%  stale 0.75 (2)  bad 3  eta
//  1:23"; "eval  " before it, and neither lr, comm nor stale, in Phase::kEval;
// "stale" (mean and largest) and "bad" where there are such; "UNSAVED 3 saves
// failed, last of step 40" where they do.
std::string plain_line(const ProgressState& state);

// What one worker of several did, for its own log: "worker 1  epoch 3/10  batch
// 120/156  loss 1.2345  top1 56.25  samples 320  img/s 617  wait 0.3%  comm 4.1
// MiB 12.3%"; without loss where `samples` is 0.
std::string
worker_line(int rank, std::int64_t samples, const ProgressState& state);

// One line for a terminal, with a bar, at most style.columns - 1 wide: what
// matters least is left out until the rest fits.
std::string live_line(const ProgressState& state, const TerminalStyle& style);

// Shows the progress of a run on a console as config::LogConfig::progress
// says: a live line on a terminal, plain lines in the log file and elsewhere.
class ProgressDisplay {
 public:
  // kLine without a terminal is kPlain. The console must outlive it.
  ProgressDisplay(Console& console, config::ProgressKind kind);
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // True when update() would redraw now. It does so ten times a second at
  // most, and never without a live line: a caller can save itself the work of
  // making the state.
  bool wants_update() const;
  // Redraws the live line if wants_update().
  void update(const ProgressState& state);
  // A state worth keeping (every log.every steps): a plain line to the log
  // file, and to the terminal where there is no live line.
  void milestone(const ProgressState& state);
  // Removes the live line.
  void clear();

 private:
  Console& console_;
  config::ProgressKind kind_;
  Stopwatch since_drawn_;
  bool drawn_ = false;
};

} // namespace vitrain::logging
