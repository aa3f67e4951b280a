#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vitrain::data {
struct Batch;
class Rows;
} // namespace vitrain::data

namespace vitrain::job {
struct Best;
} // namespace vitrain::job

namespace vitrain::logging {
class Console;
struct Picture;
} // namespace vitrain::logging

namespace vitrain::engine {

struct Evaluated;
struct GatheredBadSamples;
struct TrainReport;

// Receiver of what happens in a run. Reporter shows and records it.
class Observer {
 public:
  virtual ~Observer() = default;

  // Returns the terminal and log file of this rank.
  virtual logging::Console& console() = 0;

  // Call immediately before each write of a file of the run folder. On rank 0
  // it reads the lock, and throws Error(kStorage) if another process has taken
  // over the run. Does nothing on other ranks.
  virtual void hold() = 0;
  virtual void resumed(std::int64_t step) = 0;
  // Call before and after each step. Record when the first step began and
  // ended, in seconds since the process started. step_begins() throws as hold()
  // does, but does not read the lock: nothing is written yet.
  virtual void step_begins() = 0;
  virtual void step_ended(std::int64_t step) = 0;
  // Every rank logs its own part; rank 0 also shows and records the totals.
  virtual void train(const TrainReport& report) = 0;
  // Reports new bad samples of any worker.
  virtual void bad_samples(const GatheredBadSamples& gathered) = 0;
  // Warns, once, about images of a batch whose values were clipped. Every rank
  // may call it.
  virtual void clipped_images(
      const std::string& what,
      const data::Rows& rows,
      const data::Batch& batch) = 0;
  virtual void evaluating(std::int64_t done, std::int64_t batches) = 0;
  // Reports an evaluation; if a step has several, the raw weights come last.
  virtual void evaluated(
      std::int64_t step,
      const Evaluated& found,
      const std::optional<job::Best>& best) = 0;
  // Rank 0: records a picture of this step, which is `name`.png in the run
  // folder.
  virtual void picture(
      const std::string& name,
      const logging::Picture& picture,
      std::int64_t step) = 0;
  // Prints a pending warning about records that are sent elsewhere, such as to
  // MLflow.
  virtual void show_warnings() = 0;
  virtual void
  saved(std::int64_t step, const std::string& path, double seconds) = 0;
  // Call after each step, with its evaluation and checkpoint done. After the
  // last step of an epoch it prints the epoch's line, which stays on the
  // terminal.
  virtual void epoch_ended(std::int64_t step, double lr) = 0;
  // Reports that `zeros` of `weights` weights are zero; the summary at the end
  // repeats it. Printed on the terminal only if `last`, otherwise only logged.
  virtual void pruned(
      std::int64_t step,
      std::int64_t zeros,
      std::int64_t weights,
      bool last) = 0;
  // Sets the text about failed checkpoints in every following progress line;
  // "": no problem.
  virtual void unsaved(const std::string& text) = 0;
};

} // namespace vitrain::engine
