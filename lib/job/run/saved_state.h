#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "job/run/run_state.h"

namespace vitrain::job {

// A worker's sums since the last report, saved in checkpoints between two
// reports so that the next report equals that of an uninterrupted run. Contains
// no times, which have no meaning in another process.
struct LogIntervalState {
  std::int64_t steps = 0;
  double loss = 0.0;
  std::int64_t correct1 = 0;
  std::int64_t correct5 = 0;
  std::int64_t count = 0; // samples
  std::int64_t hash = 0; // sum of the samples' hashes, modulo 2^64
  std::int64_t bytes = 0; // sent in collectives
  std::int64_t dropped = 0; // gradients dropped as too stale
  std::int64_t replaced = 0; // bad training samples, replaced
  std::int64_t warnings = 0;
  std::int64_t clipped = 0; // images whose values were clipped

  Json to_json() const;
};

// JSON key of SavedState::owes_evaluation.
inline constexpr const char* kOwesEvaluation = "owes_evaluation";
// JSON key of SavedState::averagings.
inline constexpr const char* kAveragings = "averagings";

// JSON key of SavedState::spike_losses and spikes_in_a_row.
inline constexpr const char* kSpikes = "spikes";

// JSON key of SavedState::gradient_norm.
inline constexpr const char* kGradientNorm = "gradient_norm";

// The trainer's own part of a checkpoint's manifest.
struct SavedState {
  RunState run;
  Json identity; // RunIdentity::to_json()
  // indices of the bad training samples so far
  std::vector<std::int64_t> bad_samples;
  std::vector<LogIntervalState> interval; // by rank; empty if saved at a report
  // True if a stop request interrupted the evaluation after this step. It is
  // run before the next step.
  bool owes_evaluation = false;
  // Number of averagings of the weights; nullopt in checkpoints of older
  // versions.
  std::optional<std::int64_t> averagings{};
  // Gradient norm of the last update, reported by steps that do not compute
  // one; nullopt if it was not finite, or not recorded by an older version.
  std::optional<double> gradient_norm{};

  // State of train.on_spike: losses of the last steps, oldest first, and spikes
  // in a row up to the step; empty and 0 if the run did not compare losses.
  std::vector<double> spike_losses{};
  std::int64_t spikes_in_a_row = 0;

  // Returns the sums for `rank` of `world` workers: its own, or, if the number
  // of workers has changed, the total for rank 0 (other ranks get only the
  // number of steps); zeros if `interval` is empty.
  LogIntervalState interval_of(int rank, int world) const;
};

// Reads the trainer's part of a checkpoint's manifest. Throws Error(kWeights)
// with `source` and the key that is missing or has the wrong type.
SavedState read_saved_state(const Json& state, const std::string& source);

} // namespace vitrain::job
