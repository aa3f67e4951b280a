#pragma once

#include <ATen/core/Generator.h>

#include "data/augment/erase.h"
#include "data/augment/mix.h"
#include "data/load/loader.h"
#include "engine/inputs/normalizer.h"
#include "engine/run/session.h"
#include "engine/train/train_step.h"

namespace vitrain::engine {

// Makes what a training step takes of the loader's batches, on the device:
// normalised, erased, mixed, in this order, with the masks of stochastic
// layers. Everything random is a pure function of seed and draw, or of seed,
// step and micro-batch: neither restarts nor the number of workers change
// it.
class TrainInputs {
 public:
  explicit TrainInputs(const Session& session);

  // Micro-batch `k` of the global batch of a step.
  MicroBatch make(const data::Batch& batch, std::int64_t step, std::int64_t k);
  // The first images of a micro-batch as pictures, all versions of a sample one
  // after the other: Normalizer::bytes().
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
  // Model::forward's `drop`, on the device.
  at::Tensor drop(std::int64_t step, std::int64_t first, std::int64_t count)
      const;
  std::int64_t splits() const { return session_.job.recipe.train.splits(); }
  void erase(const at::Tensor& images, const data::Batch& batch);
  void mix(
      MicroBatch& micro_batch,
      const data::Batch& batch,
      std::int64_t step,
      std::int64_t k) const;
  bool mixes(std::int64_t epoch) const;

  const Session& session_;
  const config::AugmentConfig& augment_;
  Normalizer normalizer_;
  data::EraseOptions erase_;
  data::MixOptions mix_;
  at::Generator noise_;
};

} // namespace vitrain::engine
