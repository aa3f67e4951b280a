#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "data/load/loader.h"
#include "data/order/samplers.h"
#include "engine/eval/evaluator.h"
#include "engine/exchange/batch_norm.h"
#include "engine/exchange/data_parallel.h"
#include "engine/inputs/train_inputs.h"
#include "engine/report/bad_samples.h"
#include "engine/report/batch_files.h"
#include "engine/report/log_interval.h"
#include "engine/report/sample_sheet.h"
#include "engine/report/step_trace.h"
#include "engine/run/session.h"
#include "engine/state/checkpoint_writer.h"
#include "engine/train/divergence.h"
#include "engine/train/stop_vote.h"
#include "engine/train/train_step.h"
#include "job/run/run_state.h"
#include "optim/schedule.h"
#include "optim/weights/ema.h"

namespace vitrain::engine {

// Trains: the loop over optimizer steps with its evaluations, checkpoints and
// reports. All ranks run the same sequence of steps by construction, since
// everything that decides is a function of the step or was reduced. Collective.
class Trainer {
 public:
  explicit Trainer(Session& session);
  ~Trainer();

  // Returns kDone after the last step, or kStopped after a checkpoint when a
  // stop was asked for on any rank. Throws Error(kNonFinite) when gradients are
  // not finite.
  ExitCode run();

 private:
  void restore();
  void restore_interval(const job::SavedState& saved);
  void load_averages(
      const states::Snapshot& snapshot,
      const job::SavedState& saved);
  void load_optimizer(std::map<std::string, at::Tensor> saved);
  // Opens the recipe's stage of the next step.
  void open_stage();
  void open_loader();
  void train_one_step();
  dist::StepInfo step_info() const;
  void micro_batch(std::int64_t k, bool last);
  // Rank 0, of the run's first micro-batch: samples.png.
  void draw_samples(const MicroBatch& inputs);
  // If the step that has been made is one after which train.prune does.
  void prune();
  void tell_pruned(bool last);
  void keep_samples(bool wait);
  void check_finite();
  // Checks the loss scale, if overflowing steps are skipped.
  void check_loss_scale();
  // Continues after a step with this norm, according to train.on_non_finite.
  // Throws Error(kNonFinite) if that happens too often.
  void pass_over(double norm);
  // Restores weights, optimizer and averages from the last checkpoint; the step
  // number stays. Throws Error(kNonFinite) if there is no checkpoint.
  void roll_back(double norm);
  void report_interval();
  // Reports bad samples of all workers. Collective.
  void gather_bad_samples();
  // Returns the position of a step (from 1) in the run.
  Moment moment(std::int64_t step) const;
  // Synchronises the replicas and checks that all ranks have the same finite
  // weights.
  void bring_together();
  // Makes BatchNorm's running statistics, and averages of them, equal on all
  // ranks, as dist.batchnorm says; once after a step. Collective.
  void bring_statistics_together();
  // Does so after the last step of an epoch if dist.batchnorm says so.
  void bring_statistics_together_at_epoch_end();
  void evaluate();
  // Evaluates the model's current weights: `raw`, or their average.
  Evaluated
  evaluate_weights(const char* weights, bool judged, SampleResults& results);
  // Records an evaluation that all ranks have finished.
  void judge(const std::vector<Evaluated>& found);
  bool patience_is_over() const; // run.patience
  // Whether this evaluation will be the last one, unless it is better.
  bool may_be_last() const;
  void end_early();
  // Returns the highest request to stop of any rank. Collective.
  EarlyEnd asked() const;
  void save();
  bool due(const config::Interval& every) const {
    return every.due(plan_.timeline, state_.step);
  }
  // Returns the learning rate of a step (from 0).
  double rate_of(std::int64_t step) const;
  bool line_due() const; // according to log.every and log.count
  // Returns the state of the optimizer and of the mode of dist.sync.
  // Collective.
  std::map<std::string, at::Tensor> optimizer_state() const;
  // Checks by a checksum that all workers have the same weights. Collective.
  void check_replicas() const;
  // Collective.
  Json state_record();
  // Rank 0: checks that there is space for the run. Throws Error(kStorage).
  void check_storage();

  Session& session_;
  const config::Recipe& recipe_;
  const config::Plan& plan_;
  optim::Schedule schedule_; // kPlateau: its drops change
  BatchNormExchange batch_norm_;
  optim::FlatState parameters_;
  std::unique_ptr<optim::Optimizer> optimizer_;
  std::unique_ptr<optim::Pruner> pruner_; // null: none
  std::unique_ptr<dist::GradientSync> sync_;
  std::unique_ptr<DataParallel> replicas_; // null: one device
  std::shared_ptr<networks::Model> teacher_; // null: none
  std::unique_ptr<optim::Ema> ema_; // null: none
  bool averages_restored_ = false; // from a checkpoint
  std::unique_ptr<TrainStep> step_;
  // The recipe until stage_end_, a number of steps, and its batches.
  config::Recipe stage_;
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
  std::int64_t together_step_ = -1; // of the last bring_together()
  std::int64_t statistics_step_ = -1; // of bring_statistics_together()
  std::optional<double> metric_; // of the current weights, when evaluated
  double lr_ = 0.0;
  bool stopping_ = false;
  // A stop request came while this step's evaluation ran, which was left: it
  // comes before the next step.
  bool owes_evaluation_ = false;
  EarlyEnd asked_ = EarlyEnd::kNone; // learned outside the votes
  LogInterval interval_;
  std::optional<SampleSheet> samples_; // while it is being drawn
  StepTrace trace_; // of log.trace
  BatchFiles batch_files_; // of log.batches
};

} // namespace vitrain::engine
