#pragma once

#include <ATen/core/Generator.h>

#include "data/augment/erase.h"
#include "data/augment/mix.h"
#include "data/load/loader.h"
#include "engine/inputs/erasing.h"
#include "engine/inputs/mixing.h"
#include "engine/inputs/normalizer.h"
#include "engine/inputs/parcel.h"
#include "engine/run/session.h"
#include "engine/train/train_step.h"

namespace vitrain::engine {

// Prepares the loader's batches for a training step, on the device: normalises,
// erases, mixes, in this order, and draws the masks of stochastic layers.
// Everything random is a pure function of seed and draw, or of seed, step and
// micro-batch: restarts do not change it, and other numbers of workers do not
// where micro-batches keep their size.
class TrainInputs {
 public:
  explicit TrainInputs(const Session& session)
      : TrainInputs(session, session.job.recipe, session.plan) {}
  // With the changes to images that `recipe` has, one of the run's in some
  // epoch (config::recipe_in_epoch), which must outlive this, and its batches.
  TrainInputs(
      const Session& session,
      const config::Recipe& recipe,
      const config::BatchPlan& batch);

  // Micro-batch `k` of the global batch of a step. Its tensors are good until
  // the second next one is made (Parcels).
  MicroBatch make(const data::Batch& batch, std::int64_t step, std::int64_t k);
  // Waits until the batch of the last one may be changed, or null: for
  // Loader::keep().
  std::function<void()> sent() const { return sent_; }
  // Bytes that it needs at the end of the loader's slots (LoaderOptions::tail).
  std::size_t tail_bytes() const;
  // Returns the first images of a micro-batch as pictures, the versions of a
  // sample adjacent: Normalizer::bytes().
  at::Tensor pictures(const MicroBatch& micro_batch, std::int64_t count) const;
  // The generator of dropout's masks in a replica's share of it.
  at::Generator masks(
      const c10::Device& device,
      std::int64_t step,
      std::int64_t k,
      std::int64_t replica) const;

 private:
  // The model's, as schedule.drop_path has them in a step.
  std::vector<double> drop_rates(std::int64_t step) const;
  // Where samples have lists of labels: [N, C] fp32, on the CPU.
  at::Tensor label_lists(const data::Batch& batch) const;
  // Model::forward's `drop`, on the CPU.
  at::Tensor drop(std::int64_t step, std::int64_t first, std::int64_t count)
      const;
  std::int64_t splits() const { return session_.job.recipe.train.splits(); }
  // Returns the erasings of the input's rows; empty: none.
  std::vector<data::Erasing> erasings_of(const data::Batch& batch) const;
  void erase(
      const at::Tensor& images,
      const std::vector<data::Erasing>& erasings) const;
  // How a batch is mixed, the table in its parcel.
  MixTable mixes_of(
      const data::Batch& batch,
      Parcel& parcel,
      std::int64_t step,
      std::int64_t k) const;
  void mix(MicroBatch& micro_batch, const MixTable& table) const;
  // Returns the weights of samples with these labels; undefined: all 1.
  at::Tensor weights_of(const at::Tensor& labels) const;
  bool mixes(std::int64_t epoch) const;

  const Session& session_;
  std::int64_t worker_batch_; // samples of a micro-batch, at most
  const config::AugmentConfig& augment_;
  Normalizer normalizer_;
  data::EraseOptions erase_;
  data::MixOptions mix_;
  EraseNumbers numbers_;
  // Weight of a sample of each class, [C] fp32 on the device; undefined: all 1.
  at::Tensor class_weights_;
  Parcels parcels_;
  std::function<void()> sent_;
};

} // namespace vitrain::engine
