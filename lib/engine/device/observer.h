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

// Seconds of a checkpoint.
struct SaveTimes {
  double seconds = 0.0; // since its state was collected
  double blocked = 0.0; // part of it in which training waited
};

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
  // Reports that the run continues from a checkpoint after step `step`, and its
  // best evaluation so far.
  virtual void resumed(std::int64_t step, const job::Best& best) = 0;
  // Call before and after each step; `step`: its number, from 1. Record when
  // this process's first step began and ended. step_ended() updates the
  // progress line. step_begins() throws as hold() does, but instead of reading
  // the lock it uses what a thread has last read: nothing is written yet.
  virtual void step_begins() = 0;
  virtual void step_ended(std::int64_t step) = 0;
  // Every rank logs its own part (unless there is only one rank or log.progress
  // is off); rank 0 also shows and records the totals.
  virtual void train(const TrainReport& report) = 0;
  // Rank 0: warns of the new bad samples of all workers.
  virtual void bad_samples(const GatheredBadSamples& gathered) = 0;
  // Warns if values of images in the batch were clipped; every rank may call
  // it, and each rank warns at most once in a run. `what`: the images,
  // "training images".
  virtual void clipped_images(
      const std::string& what,
      const data::Rows& rows,
      const data::Batch& batch) = 0;
  // Shows the progress of an evaluation: `done` of this rank's `batches`
  // batches are finished. May be called from any thread, one call at a time.
  virtual void evaluating(std::int64_t done, std::int64_t batches) = 0;
  // Reports an evaluation after `step`; if a step has several, the raw weights
  // come last. `best`: the best evaluation so far, those of this step included;
  // nullopt without training.
  virtual void evaluated(
      std::int64_t step,
      const Evaluated& found,
      const std::optional<job::Best>& best) = 0;
  // Sends a picture of this step to TensorBoard and MLflow, if they are on. The
  // caller has written it to `name`.png in the run folder. Call on rank 0 only.
  virtual void picture(
      const std::string& name,
      const logging::Picture& picture,
      std::int64_t step) = 0;
  // Prints a pending warning about records that are sent elsewhere, such as to
  // MLflow.
  virtual void show_warnings() = 0;
  // Reports the checkpoint of `step`, its folder and its times.
  virtual void
  saved(std::int64_t step, const std::string& path, const SaveTimes& times) = 0;
  // Call after every step, when its evaluation and checkpoint are done. Only
  // after the last step of an epoch it prints the epoch's line, which stays on
  // the terminal, if log.progress has such lines. `lr`: the step's learning
  // rate.
  virtual void epoch_ended(std::int64_t step, double lr) = 0;
  // Reports that `zeros` of `weights` weights are zero after `step`; the
  // summary at the end repeats it. Printed on the terminal only if `last`,
  // otherwise only logged.
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
