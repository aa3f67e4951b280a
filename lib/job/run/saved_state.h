#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/text/json.h"
#include "job/run/run_state.h"

namespace vitrain::job {

// What a worker has summed up since the last report when a checkpoint is made
// between two: the report after it is then that of a run that was never
// stopped. No times: those of another process say nothing here.
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
  // Of the average of the weights; none: older versions did not count them.
  std::optional<std::int64_t> averagings{};
  // Of the last update, for the report of a step that makes none; nullopt: it
  // was not finite, or not recorded by an older version.
  std::optional<double> gradient_norm{};

  // The part of one of `world` workers: its own, or, when there was another
  // number of them, all for rank 0.
  LogIntervalState interval_of(int rank, int world) const;
};

// Reads the state of a checkpoint's manifest. Throws Error(kWeights) with
// `source` and the key of what is missing or of another type.
SavedState read_saved_state(const Json& state, const std::string& source);

} // namespace vitrain::job
