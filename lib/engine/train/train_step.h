#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/collectives.h"
#include "dist/sync/gradient_sync.h"
#include "engine/loss/loss.h"
#include "engine/loss/loss_scaler.h"
#include "networks/model.h"
#include "optim/clip.h"
#include "optim/optimizer.h"
#include "optim/weights/ema.h"
#include "optim/weights/flat_state.h"
#include "optim/weights/prune.h"

namespace vitrain::engine {

struct TrainStepOptions {
  LossOptions loss;
  DistillOptions distill{};
  networks::Model* teacher = nullptr; // of distill; in evaluation mode
  optim::Ema* ema = nullptr; // averages the weights after each step
  const optim::Pruner* pruner = nullptr; // keeps weights at zero
  optim::Clipping clipping{};
  double sam = 0.0; // how far gradients are taken from the weights; 0: at them
  std::optional<at::ScalarType> products; // AutocastScope's
  // Steps whose gradients overflow change no weight, and training goes on. For
  // a GradientSync that reduces the gradients of a step in that step.
  std::optional<LossScaling> loss_scaling;
  std::int64_t recompute = 0; // networks::RecomputeScope's
  // Forward and backward wait for those of the other workers (synchronised
  // BatchNorm): they run without samples too.
  bool collective_forward = false;
  // gradient_norm() is not asked for after every step, because that waits for
  // the device: a step whose norm is not finite then ends all updates.
  bool asked_late = false;
  // Training goes on after a step whose norm is not finite: it leaves nothing
  // in the statistics of layers, in averages and in sums. finish() waits for
  // the device then. Not with asked_late.
  bool skips = false;
};

// A micro-batch on the device.
struct MicroBatch {
  // [N, C, S, S] fp32, normalised, or vectors [N, F]; N may be 0. With several
  // versions of each image [versions N, C, S, S], the first of all samples
  // first.
  at::Tensor inputs;
  at::Tensor targets; // labels [N] int64, or [N, T] fp32
  // Of mixed samples, whose label is that of the larger share: the shares of
  // the classes [N, C] fp32; else undefined.
  at::Tensor shares;
  // Weight of the loss of each sample, [N] fp32; undefined: all 1.
  at::Tensor weights{};
  at::Tensor drop; // Model::forward's, or undefined
  at::Generator dropout; // of dropout's masks, or undefined
};

// Sums over the training samples that this worker has seen since the last
// take_sums(), on the device until they are asked for.
struct TrainSums {
  double loss = 0.0;
  std::int64_t correct1 = 0; // both 0 where there are no classes
  std::int64_t correct5 = 0;
  std::int64_t count = 0;
};

// One optimizer step: forward and backward of each micro-batch (gradients
// travel during the last one), clipping, update. Between the copy of the batch
// and the update everything is on the device: no host decision, no wait. A step
// whose gradient norm is not finite changes no weight; in the modes of
// dist.sync that reduce gradients every rank sees the same norm, so all ranks
// agree. With loss_scaling that is a matter of course and moves the scale.
//
// Protocol: begin(), micro_batch() x accumulate, finish(). Collective.
class TrainStep {
 public:
  TrainStep(
      networks::Model& model,
      optim::FlatState& parameters,
      optim::Optimizer& optimizer,
      dist::GradientSync& sync,
      const TrainStepOptions& options);

  void begin(const dist::StepInfo& step);
  void micro_batch(const MicroBatch& batch, bool last);
  void finish(double lr);
  // Brings the replicas together between steps (GradientSync::flush); an update
  // that is still due is made with `lr`, that of the last step. A model that is
  // no longer the one of the training state is an error, before it is evaluated
  // or saved.
  void flush(double lr);

  // Norm of the last step's averaged gradients before clipping; with asked_late
  // that of the first step that was not finite, if there was one; with
  // loss_scaling that of the last step that changed weights, 0 before it; in a
  // step that updates nothing, that of the last one that did. Waits for the
  // device.
  double gradient_norm() const;
  // The same; nullopt before the first update, in this process or before the
  // checkpoint.
  std::optional<double> last_gradient_norm() const;
  // Continues with the norm that another process has seen last.
  void set_gradient_norm(double norm);
  // With asked_late: the steps since that one, itself included; 0: all were
  // finite. With loss_scaling: those since the scale fell below
  // LossScaler::kLeast. Waits for the device.
  std::int64_t steps_since_bad() const;
  // None without loss_scaling. Waits for the device.
  std::optional<double> loss_scale() const;
  bool scales_loss() const { return scaler_.has_value(); }
  // What must be kept in a checkpoint, by name; tensors that steps change in
  // place. Equal on all ranks.
  std::map<std::string, at::Tensor> state() const;
  // Sums since the last take_sums(). Waits for the device.
  TrainSums sums() const;
  TrainSums take_sums();
  // Goes on from sums that another process has made.
  void set_sums(const TrainSums& sums);

 private:
  struct Pass {
    at::Tensor outputs; // fp32
    at::Tensor loss; // sum
  };
  // Forward and backward at the weights as they are; gradients are added.
  Pass run(const MicroBatch& batch);
  // Sharpness-aware minimisation: moves the weights up the gradient of this
  // micro-batch by options_.sam, its norm on this rank, and returns the pass at
  // the weights where they were.
  Pass climb(const MicroBatch& batch);
  // The weights, and the statistics of layers, as before run() there.
  void descend();
  // The loss of a micro-batch, summed over its samples.
  at::Tensor losses(const MicroBatch& batch, const Answers& answers);
  // What forget() goes back to.
  void remember();
  // The statistics of layers and the sums are those of before the step.
  void forget();
  // Gradients of weights that are not trained now, or pruned, are not to count.
  void zero_idle_gradients();
  // Pruned weights that an update has moved become zero again.
  void clear_pruned();
  // Clips the gradients in the buffers and applies them, when they are finite.
  // Returns their norm before clipping.
  at::Tensor update(double lr);
  // The same for a step's own update, whose norm is kept.
  void update_and_count(double lr);

  networks::Model& model_;
  optim::FlatState& parameters_;
  optim::Optimizer& optimizer_;
  dist::GradientSync& sync_;
  TrainStepOptions options_;
  std::optional<LossScaler> scaler_;
  double inverse_samples_ = 0.0;
  std::int64_t step_ = 0; // from 0
  double previous_lr_ = 0.0; // of the last step, if there was one
  at::Tensor gradient_norm_; // scalar
  bool has_gradient_norm_ = false;
  at::Tensor non_finite_; // scalar, fp32: 1 when the last norm is not finite
  at::Tensor bad_steps_; // scalar, fp32: what steps_since_bad() returns
  at::Tensor loss_sum_; // scalar, fp64
  at::Tensor correct_; // [2] int64: top-1, top-5
  std::int64_t count_ = 0;
  // Of before the step, where steps are skipped.
  std::vector<at::Tensor> kept_statistics_; // of each buffer
  at::Tensor kept_loss_;
  at::Tensor kept_correct_;
  std::int64_t kept_count_ = 0;
  // Of sharpness-aware minimisation, between climb() and descend().
  std::vector<at::Tensor> weights_; // of each group
  std::vector<at::Tensor> statistics_; // of each buffer
};

} // namespace vitrain::engine
