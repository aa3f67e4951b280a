#pragma once

#include <ATen/core/Generator.h>

#include "data/augment/erase.h"
#include "data/augment/mix.h"
#include "data/load/loader.h"
#include "engine/device/session.h"
#include "engine/inputs/device_upload.h"
#include "engine/inputs/erasing.h"
#include "engine/inputs/mixing.h"
#include "engine/inputs/normalizer.h"
#include "engine/step/train_step.h"
#include "job/run/job.h"

namespace vitrain::config {
struct AugmentConfig;
struct Recipe;
} // namespace vitrain::config

namespace vitrain::engine {

// Prepares the loader's batches for a training step, on the device: normalises,
// erases, mixes, in this order, and samples the masks of stochastic layers.
// Everything random is a pure function of seed and draw, or of seed, step and
// micro-batch: restarts do not change it; nor does the number of workers if
// micro-batches keep their size.
class TrainInputs {
 public:
  explicit TrainInputs(const Session& session)
      : TrainInputs(session, session.job.recipe, session.plan) {}
  // Uses the augmentation and batch size of `recipe`, which is the run's recipe
  // in some epoch (config::recipe_in_epoch), and its batch plan. `recipe` must
  // outlive this.
  TrainInputs(
      const Session& session,
      const config::Recipe& recipe,
      const config::BatchPlan& batch);

  // Returns micro-batch `k` (number over all workers) of the global batch of
  // step `step` (from 0). `batch`: the loader's batch for it. On a GPU the
  // returned tensors are valid until the second next call, and kernels that
  // read them must be enqueued before the next call; on a CPU they stay valid.
  MicroBatch make(const data::Batch& batch, std::int64_t step, std::int64_t k);
  // Returns a function, for Loader::keep(), that waits until the last batch has
  // been copied to the GPU; null on a CPU, where make() has already converted
  // it.
  std::function<void()> sent() const { return sent_; }
  // Returns the bytes needed at the end of the loader's slots
  // (LoaderOptions::tail); 0 on a CPU.
  std::size_t tail_bytes() const;
  // Returns the first `count` images of a micro-batch as pixels, [count, H, W,
  // C] uint8 on the CPU, with the versions of a sample next to each other.
  at::Tensor pictures(const MicroBatch& micro_batch, std::int64_t count) const;
  // Returns the generator of dropout masks for the part of micro-batch `k` that
  // replica `replica` (from 0) computes; undefined: no dropout.
  at::Generator masks(
      const c10::Device& device,
      std::int64_t step,
      std::int64_t k,
      std::int64_t replica) const;

 private:
  // Returns the model's stochastic depth rates in a step, scaled as
  // schedule.drop_path says.
  std::vector<double> drop_rates(std::int64_t step) const;
  // Returns the targets of multi-label samples: [N, C] fp32 on the CPU.
  at::Tensor label_lists(const data::Batch& batch) const;
  // Returns the `drop` argument of Model::forward, on the CPU, for samples
  // [first, first + count) of the global batch.
  at::Tensor drop(std::int64_t step, std::int64_t first, std::int64_t count)
      const;
  std::int64_t splits() const { return session_.job.recipe.train.splits(); }
  // Returns the erasing of each input row; empty: none.
  std::vector<data::Erasing> erasings_of(const data::Batch& batch) const;
  void erase(
      const at::Tensor& images,
      const std::vector<data::Erasing>& erasings) const;
  // Returns how a batch is mixed; adds the table to `upload`.
  MixTable mixes_of(
      const data::Batch& batch,
      DeviceUpload& upload,
      std::int64_t step,
      std::int64_t k) const;
  void mix(MicroBatch& micro_batch, const MixTable& table) const;
  // Returns the weights of samples with these labels; undefined: all 1.
  at::Tensor weights_of(const at::Tensor& labels) const;
  // Returns true if batches are mixed in this epoch (from 0).
  bool mixes(std::int64_t epoch) const;

  const Session& session_;
  std::int64_t worker_batch_; // maximum number of samples in a micro-batch
  const config::AugmentConfig& augment_;
  Normalizer normalizer_;
  data::EraseOptions erase_;
  data::MixOptions mix_;
  EraseNumbers numbers_;
  // Weight of a sample of each class, [C] fp32 on the device; undefined: all 1.
  at::Tensor class_weights_;
  DeviceUploads uploads_;
  std::function<void()> sent_;
};

} // namespace vitrain::engine
