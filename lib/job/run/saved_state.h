#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/text/json.h"
#include "job/run/run_state.h"

namespace vitrain::job {

// A worker's sums since the last report, for a checkpoint between two reports,
// so that the next report equals that of an uninterrupted run. Contains no
// times, which are meaningless in another process.
struct LogIntervalState {
  std::int64_t steps = 0;
  double loss = 0.0;
  std::int64_t correct1 = 0;
  std::int64_t correct5 = 0;
  std::int64_t count = 0;
  std::int64_t hash = 0;
  std::int64_t bytes = 0;
  std::int64_t dropped = 0;
  std::int64_t replaced = 0;
  std::int64_t warnings = 0;
  std::int64_t clipped = 0;

  Json to_json() const;
};

// The key of SavedState::owes_evaluation.
inline constexpr const char* kOwesEvaluation = "owes_evaluation";
// That of SavedState::averagings.
inline constexpr const char* kAveragings = "averagings";

// That of SavedState::gradient_norm.
inline constexpr const char* kGradientNorm = "gradient_norm";

// The trainer's own record of a checkpoint.
struct SavedState {
  RunState run;
  Json identity; // an object
  std::vector<std::int64_t> bad_samples;
  std::vector<LogIntervalState> interval; // by rank; empty: saved at a report
  // A stop request came while the evaluation of its step ran, which was left
  // and comes before the next step.
  bool owes_evaluation = false;
  // Number of averagings of the weights; nullopt in checkpoints of older
  // versions.
  std::optional<std::int64_t> averagings{};
  // Norm of the last update, for the report of a step without one; nullopt if
  // it was not finite, or not recorded by an older version.
  std::optional<double> gradient_norm{};

  // Returns the part of a rank of `world` workers: its own, or, if the number
  // of workers has changed, everything for rank 0.
  LogIntervalState interval_of(int rank, int world) const;
};

// Reads the state of a checkpoint's manifest. Throws Error(kWeights) with
// `source` and the key that is missing or has another type.
SavedState read_saved_state(const Json& state, const std::string& source);

} // namespace vitrain::job
