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
  // Steps whose gradients overflow change no weight, and training continues.
  // Requires a GradientSync that reduces the gradients of a step in that step.
  std::optional<LossScaling> loss_scaling;
  std::int64_t recompute = 0; // networks::RecomputeScope's
  // Forward and backward are collective (synchronised BatchNorm): they run
  // without samples too.
  bool collective_forward = false;
  // gradient_norm() is not read after every step, to avoid waiting for the
  // device; a step with a non-finite norm then disables all further updates.
  bool asked_late = false;
  // Training continues after a step with a non-finite norm, which leaves no
  // trace in layer statistics, averages and sums. finish() then waits for the
  // device. Not with asked_late.
  bool skips = false;
};

// A micro-batch on the device.
struct MicroBatch {
  // [N, C, S, S] fp32, normalised, or vectors [N, F]; N may be 0. With several
  // versions of each image [versions N, C, S, S], the first of all samples
  // first.
  at::Tensor inputs;
  at::Tensor targets; // labels [N] int64, or [N, T] fp32
  // Class shares [N, C] fp32 of mixed samples, whose label is the class with
  // the larger share; otherwise undefined.
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
  std::int64_t correct1 = 0; // both 0 without classes
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
  // Synchronises the replicas between steps (GradientSync::flush); a pending
  // update uses `lr`, the last step's rate. Throws if the model's parameters no
  // longer match the training state, before they are evaluated or saved.
  // Collective.
  void flush(double lr);

  // Norm of the last step's averaged gradients before clipping; with asked_late
  // the norm of the first step that was not finite, if any; with loss_scaling
  // the norm of the last step that changed weights, 0 before it; in a step
  // without an update, the norm of the last update. Waits for the device.
  double gradient_norm() const;
  // As above; nullopt before the first update, including those before the
  // checkpoint.
  std::optional<double> last_gradient_norm() const;
  // Continues with the norm that another process has seen last.
  void set_gradient_norm(double norm);
  // With asked_late: number of steps from the first non-finite one on; 0: all
  // were finite. With loss_scaling: steps since the scale fell below
  // LossScaler::kLeast. Waits for the device.
  std::int64_t steps_since_bad() const;
  // None without loss_scaling. Waits for the device.
  std::optional<double> loss_scale() const;
  bool scales_loss() const { return scaler_.has_value(); }
  // Returns the state for a checkpoint, by name; steps change these tensors in
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
  // Sharpness-aware minimisation: moves the weights along this micro-batch's
  // gradient by the distance options_.sam, and returns the pass at the original
  // weights.
  Pass climb(const MicroBatch& batch);
  // Restores the weights and layer statistics from before climb().
  void descend();
  // The loss of a micro-batch, summed over its samples.
  at::Tensor losses(const MicroBatch& batch, const Answers& answers);
  // Saves the state that forget() restores.
  void remember();
  // Restores layer statistics and sums from before the step.
  void forget();
  // Zeroes gradients of weights that are not trained in this epoch, or pruned.
  void zero_idle_gradients();
  // Pruned weights that an update has moved become zero again.
  void clear_pruned();
  // Clips the gradients in the buffers and applies them, when they are finite.
  // Returns their norm before clipping.
  at::Tensor update(double lr);
  // Applies a step's own update and records its norm.
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
  // State before the step, if steps may be skipped.
  std::vector<at::Tensor> kept_statistics_; // of each buffer
  at::Tensor kept_loss_;
  at::Tensor kept_correct_;
  std::int64_t kept_count_ = 0;
  // State of sharpness-aware minimisation between climb() and descend().
  std::vector<at::Tensor> weights_; // of each group
  std::vector<at::Tensor> statistics_; // of each buffer
};

} // namespace vitrain::engine
