#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/system/clock.h"
#include "engine/device/session.h"
#include "engine/eval/evaluator.h"
#include "engine/state/checkpoint_writer.h"
#include "engine/step/batch_norm.h"
#include "engine/train/bad_samples.h"
#include "engine/train/batch_files.h"
#include "engine/train/log_interval.h"
#include "engine/train/step_trace.h"
#include "engine/train/stop_vote.h"
#include "job/run/run_state.h"
#include "optim/flat_state.h"
#include "optim/schedule.h"

namespace vitrain {
enum class ExitCode : int;
} // namespace vitrain

namespace vitrain::config {
struct Recipe;
} // namespace vitrain::config

namespace vitrain::dist {
class GradientSync;
struct StepInfo;
} // namespace vitrain::dist

namespace vitrain::job {
struct SavedState;
} // namespace vitrain::job

namespace vitrain::optim {
class Ema;
class Optimizer;
class Pruner;
} // namespace vitrain::optim

namespace vitrain::engine {

class DataParallel;
class LossSpikes;
class SampleSheet;
struct Evaluated;
struct MicroBatch;
struct Moment;
class Stragglers;
class TrainInputs;
class TrainStep;

// Training loop: optimizer steps with evaluations, checkpoints and reports. All
// ranks run the same sequence of steps, because every decision is a function of
// the step or of reduced values. Collective.
class Trainer {
 public:
  explicit Trainer(Session& session);
  ~Trainer();

  // Returns kDone after the last step or if run.patience ends the run; kStopped
  // after a checkpoint if a stop was requested on any rank or by the recipe;
  // kWorkerDied after a checkpoint if another worker failed. Throws
  // Error(kNonFinite) if weights are not finite, or for gradients that
  // train.on_non_finite or the loss scale does not tolerate.
  ExitCode run();

 private:
  // Returns a TrainStep over model, optimizer, exchange, teacher, averages and
  // pruner, which must exist.
  std::unique_ptr<TrainStep> make_step();
  // Loads the checkpoint of job.resume; does nothing if that is empty.
  void restore();
  void restore_interval(const job::SavedState& saved);
  void load_averages(
      const states::Snapshot& snapshot,
      const job::SavedState& saved);
  void load_optimizer(std::map<std::string, at::Tensor> saved);
  // Opens the loader and inputs for the recipe's stage that contains the next
  // step.
  void open_stage();
  void open_loader();
  void train_one_step();
  dist::StepInfo step_info() const;
  // Runs micro-batch `k` (number over all workers) of the current step.
  void micro_batch(std::int64_t k, bool last);
  // Starts to draw samples.png. Called on rank 0 for the run's first
  // micro-batch.
  void draw_samples(const MicroBatch& inputs);
  // Prunes weights if train.prune is due after the last step.
  void prune();
  void tell_pruned(bool last);
  // Writes samples.png once it is drawn; `wait`: waits until it is.
  void keep_samples(bool wait);
  // Handles a non-finite gradient norm, a loss spike or a too small loss scale;
  // on a GPU maybe some steps after it occurred.
  void check_finite();
  // Throws Error(kNonFinite) if the loss scale has become too small.
  void check_loss_scale();
  // Handles a step whose norm `norm` is not finite as train.on_non_finite says.
  // Throws Error(kNonFinite) if there are too many such steps.
  void pass_over(double norm);
  // Returns true if the step's loss is a spike. `loss`: this worker's part of
  // the mean over all samples. Collective.
  bool is_spike(double loss);
  // Handles a spike as train.on_spike says. Throws Error(kNonFinite) to end the
  // run.
  void handle_spike();
  // Restores weights, optimizer and averages from the last checkpoint; the step
  // number does not change. Requires one.
  void roll_back();
  // Throws Error(kNonFinite): train.on_non_finite: rollback has no checkpoint.
  [[noreturn]] void fail_without_checkpoint(double norm) const;
  // True if the run has a checkpoint to which roll_back() can return. No save
  // may be pending.
  bool can_roll_back() const { return writer_.saved_step() >= 0; }
  // Rank 0: writes the samples of a step (from 1) that ends the run, and the
  // norms if it is the newest step, to RunDirectory::bad_step(), and says so;
  // only warns if that fails.
  void dump_step(std::int64_t step, double norm);
  void report_interval();
  // Reports bad samples of all workers. Collective.
  void gather_bad_samples();
  // Returns a step (from 1) with its epoch and learning rate, for messages.
  Moment moment(std::int64_t step) const;
  // Synchronises the replicas and checks that all ranks have the same finite
  // weights; at most once per step. Collective.
  void sync_replicas();
  // Makes BatchNorm's running statistics, and their averages (train.ema), equal
  // on all ranks, as dist.batchnorm says; at most once per step. Collective.
  void sync_statistics();
  // Calls sync_statistics() after the last step of an epoch if
  // dist.batchnorm requires it.
  void sync_statistics_at_epoch_end();
  // Evaluates the weights and, with train.ema, their average. Collective.
  void evaluate();
  // Evaluates the model's current weights; `weights` is their name: "raw", or
  // "ema" for the average. Fills `results` only if `judged` and may_be_last().
  Evaluated
  evaluate_weights(const char* weights, bool judged, SampleResults& results);
  // Updates the best evaluation and the plateau schedule with evaluations that
  // all ranks have finished, and reports them.
  void judge(const std::vector<Evaluated>& found);
  // True if run.patience evaluations in a row did not improve; false without
  // run.patience.
  bool patience_is_over() const;
  // Returns true if this evaluation is the last one of the run unless it
  // improves the metric.
  bool may_be_last() const;
  void end_early(); // saves the last checkpoint if run.patience ends the run
  // Returns this rank's reason to end early: another worker's failure, a
  // signal, the end of run.max_time, or on rank 0 the stop file, which is
  // looked for at most once per second; kNone: none. Later calls return the
  // same or a higher one.
  EarlyEnd early_end();
  void remove_stop_file(); // on rank 0
  // Returns what to vote for in the next step.
  EarlyEnd vote();
  // Follows the votes of a step that has ended. Collective.
  void follow(EarlyEnd agreed);
  // Returns the highest stop request of any rank. Collective.
  EarlyEnd asked();
  // Writes a checkpoint unless the current step has one. Collective.
  void save();
  bool due(const config::Interval& every) const {
    return every.due(plan_.timeline, state_.step);
  }
  // Returns the learning rate of a step (from 0).
  double rate_of(std::int64_t step) const;
  // Returns true if log.every and log.count require a report after this step.
  bool line_due() const;
  // Returns the state of optimizer, dist.sync mode, pruner and loss scaling for
  // a checkpoint. Collective.
  std::map<std::string, at::Tensor> optimizer_state() const;
  // Throws Error(kWorkerDied) unless all workers have the same trained
  // parameters, compared by a checksum. Collective.
  void check_replicas() const;
  // Returns the trainer's record for a checkpoint (Snapshot::state).
  // Collective.
  Json state_record();
  // Rank 0: checks that there is space for the run. Throws Error(kStorage).
  void check_storage();

  Session& session_;
  const config::Recipe& recipe_;
  const config::Plan& plan_;
  optim::Schedule schedule_; // `drops` changes with kPlateau
  BatchNormExchange batch_norm_;
  optim::FlatState parameters_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  std::unique_ptr<optim::Pruner> pruner_; // null: none
  std::unique_ptr<dist::GradientSync> sync_;
  std::unique_ptr<DataParallel> replicas_; // null: one device
  std::shared_ptr<networks::Model> teacher_; // null: none
  std::unique_ptr<optim::Ema> ema_; // null: none
  bool averages_restored_ = false; // ema_ was restored from a checkpoint
  std::unique_ptr<TrainStep> step_;
  // The recipe of the current stage, which lasts until before step stage_end_
  // (from 0), and its batch plan.
  std::unique_ptr<const config::Recipe> stage_;
  config::BatchPlan batch_;
  std::int64_t stage_end_ = 0;
  std::unique_ptr<data::Rows> rows_;
  const data::Samplers& samplers_;
  std::unique_ptr<TrainInputs> inputs_;
  std::unique_ptr<data::Loader> loader_;
  BadSamples bad_samples_;
  Evaluator evaluator_;
  CheckpointWriter writer_;
  job::RunIdentity identity_;
  job::RunState state_;
  std::int64_t together_step_ = -1; // step of the last sync_replicas()
  // Step of the last sync_statistics().
  std::int64_t statistics_step_ = -1;
  // checkpoint.metric of the current weights; nullopt if not evaluated.
  std::optional<double> metric_;
  double lr_ = 0.0; // learning rate of the last step
  bool stopping_ = false; // the next checkpoint is the last one
  // A stop request interrupted this step's evaluation: it is repeated before
  // the next step.
  bool owes_evaluation_ = false;
  // Highest stop request that all ranks know of.
  EarlyEnd asked_ = EarlyEnd::kNone;
  bool told_to_stop_ = false; // by the stop file or run.max_time
  Stopwatch stop_watch_; // since the last look for the stop file
  Stopwatch save_watch_; // since the last checkpoint
  std::int64_t vote_saved_ = -1; // step of the last save that was voted for
  LogInterval interval_;
  std::unique_ptr<Stragglers> stragglers_;
  std::unique_ptr<LossSpikes> spikes_; // see train.on_spike
  std::unique_ptr<SampleSheet> samples_; // set while it is being drawn
  StepTrace trace_; // see log.trace
  BatchFiles batch_files_; // see log.batches
};

} // namespace vitrain::engine
