#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/collectives.h"
#include "dist/sync/gradient_sync.h"
#include "engine/step/loss.h"
#include "engine/step/loss_scaler.h"
#include "networks/layers/narrow.h"
#include "networks/model.h"
#include "optim/clip.h"
#include "optim/ema.h"
#include "optim/flat_state.h"
#include "optim/optimizer.h"
#include "optim/prune.h"

namespace vitrain::engine {

struct TrainStepOptions {
  LossOptions loss;
  DistillOptions distill{};
  // Teacher of `distill`, in evaluation mode; null: no distillation.
  networks::Model* teacher = nullptr;
  optim::Ema* ema = nullptr; // averages the weights after each step
  const optim::Pruner* pruner = nullptr; // keeps weights at zero
  optim::Clipping clipping{};
  // SAM: distance from the weights at which gradients are computed; 0: off.
  double sam = 0.0;
  // Dtype of matrix products and convolutions (autocast); nullopt: fp32 or
  // tf32.
  std::optional<at::ScalarType> products;
  // Each pass converts all weights to `products` at once, and sums the
  // gradients of linear layers in fp32: less memory traffic on a GPU, other
  // rounding.
  bool narrow_weights = false;
  // Lets the optimizer's kernel divide the gradients instead of clipping them
  // in a pass of their own, if it can: other rounding.
  bool fold_clipping = false;
  // Nullopt: no scaling. With it, steps whose gradients overflow change no
  // weight, and training continues. Requires a GradientSync that reduces the
  // gradients of a step in that step.
  std::optional<LossScaling> loss_scaling;
  // Every `recompute`-th block is computed again in backward, to save memory;
  // 0: none.
  std::int64_t recompute = 0;
  // Forward and backward are collective (synchronised BatchNorm), so they run
  // even without samples.
  bool collective_forward = false;
  // gradient_norm() is not read after every step, to avoid waiting for the
  // device; a step with a non-finite norm then disables all further updates.
  bool defer_norm_check = false;
  // Training continues after a step without an update, whose norm is not finite
  // or which is_spike() refuses. Such a step changes no layer statistics,
  // averages or sums. finish() then waits for the device. Not together with
  // defer_norm_check.
  bool skip_non_finite = false;
  // If set: finish() calls it with the mean loss of this worker's samples of
  // the step times their share of all workers' samples. Returns true on all
  // ranks if the step must not change weights. Collective. Not together with
  // defer_norm_check and loss_scaling.
  std::function<bool(double loss)> is_spike{};
};

// A micro-batch on the device.
struct MicroBatch {
  // [N, C, H, W] fp32, normalised, or vectors [N, F]; N may be 0. With several
  // versions of each image [versions N, C, H, W], the first version of all
  // samples first.
  at::Tensor inputs;
  at::Tensor targets; // labels [N] int64, or [N, T] fp32
  // Shares of the classes [N, C] fp32 for mixed and for multi-label samples,
  // otherwise undefined. The target of a mixed sample is the class with the
  // larger share.
  at::Tensor shares;
  // Weight of the loss of each sample, [N] fp32; undefined: all 1.
  at::Tensor weights{};
  at::Tensor drop; // argument of Model::forward, or undefined
  at::Generator dropout; // generator of dropout masks, or undefined
};

// Sums over this worker's training samples since the last take_sums().
// TrainStep keeps them on the device until they are read.
struct TrainSums {
  double loss = 0.0; // sum of the samples' losses, weights and teacher included
  std::int64_t correct1 = 0; // top-1; 0 without classes
  std::int64_t correct5 = 0; // top-5; 0 without classes
  std::int64_t count = 0; // samples
};

// One optimizer step: forward and backward of each micro-batch (gradients are
// exchanged during the last one), clipping, update. From the upload of the
// batch to the update everything runs on the device: without skip_non_finite
// and is_spike, the host reads no result and decides nothing. A step whose
// gradient norm is not finite changes no weight; in the modes of dist.sync that
// reduce gradients every rank sees the same norm, so all ranks agree. With
// loss_scaling such steps are expected and lower the scale.
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
  // update uses `lr`, the last step's rate. Throws Error(kInternal) if the
  // model's parameters no longer match the training state, before they are
  // evaluated or saved. Collective.
  void flush(double lr);

  // Returns the norm of the last step's averaged gradients before clipping;
  // with defer_norm_check, the norm of the first step that was not finite, if
  // any; with loss_scaling, the norm of the last step that changed weights, 0
  // before the first; in a step without an update, the norm of the last update.
  // Waits for the device.
  double gradient_norm() const;
  // Same as gradient_norm(); nullopt before the first update of the run,
  // including updates before a resume.
  std::optional<double> last_gradient_norm() const;
  // Returns true if the last step was a spike (TrainStepOptions::is_spike).
  bool was_spike() const { return spike_; }
  // Restores the last norm from a checkpoint.
  void set_gradient_norm(double norm);
  // With defer_norm_check: returns the number of steps from the first
  // non-finite one on; 0 if all were finite. With loss_scaling: the number of
  // steps since the scale fell below LossScaler::kLeast, that step included; 0
  // if it never did. Otherwise 0. Waits for the device.
  std::int64_t steps_since_bad() const;
  // Returns the scale of the loss; nullopt without loss_scaling. Waits for the
  // device.
  std::optional<double> loss_scale() const;
  bool scales_loss() const { return scaler_.has_value(); }
  // Returns the state of loss scaling for a checkpoint, by name (empty without
  // it); steps change these tensors in place. Equal on all ranks.
  std::map<std::string, at::Tensor> state() const;
  // Sums since the last take_sums(). Waits for the device.
  TrainSums sums() const;
  TrainSums take_sums();
  // Restores sums from a checkpoint.
  void set_sums(const TrainSums& sums);

 private:
  struct Pass {
    at::Tensor outputs; // fp32
    at::Tensor loss; // sum over the samples
  };
  // Adds the gradients and sums of a micro-batch.
  void add_micro_batch(const MicroBatch& batch, bool last);
  // Runs forward and backward at the current weights; adds to the gradients.
  Pass run(const MicroBatch& batch);
  // First half of sharpness-aware minimisation: computes this micro-batch's
  // gradient, moves the weights along it by the distance options_.sam, and
  // returns the pass at the original weights.
  Pass sam_ascend(const MicroBatch& batch);
  // Restores the weights and layer statistics from before sam_ascend().
  void sam_restore();
  // Returns the loss of a micro-batch, summed over its samples.
  at::Tensor losses(const MicroBatch& batch, const DistillOutputs& answers);
  // Saves layer statistics and sums for restore().
  void snapshot();
  // Restores layer statistics and sums from the last snapshot(), before the
  // step.
  void restore();
  // Zeroes the gradients of pruned weights and of weights that are not trained
  // in this epoch.
  void zero_idle_gradients();
  // Sets pruned weights that an update has changed back to zero.
  void clear_pruned();
  // Clips the gradients in the buffers and applies them if they are finite.
  // Returns their norm before clipping.
  at::Tensor update(double lr);
  // Applies a real update (not a prediction) and records its norm.
  void update_and_count(double lr);

  networks::Model& model_;
  optim::FlatState& parameters_;
  optim::Optimizer& optimizer_;
  dist::GradientSync& sync_;
  TrainStepOptions options_;
  std::optional<LossScaler> scaler_;
  double inverse_samples_ = 0.0; // factor of the samples' losses in this step
  std::int64_t step_ = 0; // from 0
  double previous_lr_ = 0.0; // rate of the last step
  std::vector<networks::NarrowCopy> narrow_; // by group, or empty
  at::Tensor gradient_norm_; // scalar
  bool has_gradient_norm_ = false;
  // Scalar, fp32: 1 if the last norm is not finite, otherwise 0.
  at::Tensor non_finite_;
  at::Tensor bad_steps_; // scalar, fp32: see steps_since_bad()
  at::Tensor loss_sum_; // scalar, fp64
  at::Tensor correct_; // [2] int64: top-1, top-5
  at::Tensor places_; // [2, 1] int64: 1, 5, the ranks of correct_
  std::int64_t count_ = 0;
  at::Tensor step_loss_; // scalar, fp64: of this step, if is_spike is set
  bool spike_ = false;
  // State before the step, if steps may be skipped.
  std::vector<at::Tensor> kept_statistics_; // one per buffer
  at::Tensor kept_loss_;
  at::Tensor kept_correct_;
  std::int64_t kept_count_ = 0;
  // State of sharpness-aware minimisation between sam_ascend() and
  // sam_restore().
  std::vector<at::Tensor> weights_; // one per group
  std::vector<at::Tensor> statistics_; // one per buffer
};

} // namespace vitrain::engine
