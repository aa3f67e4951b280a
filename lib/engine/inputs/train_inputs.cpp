#include "engine/inputs/train_inputs.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include "engine/inputs/drop_factors.h"
#include "engine/inputs/dropout.h"
#include "engine/inputs/erasing.h"
#include "engine/inputs/mixing.h"
#include "engine/inputs/patch_masks.h"
#include "engine/inputs/upload.h"
#include "engine/train/loss.h"
#include "job/options/data_options.h"

namespace vitrain::engine {
namespace {

std::uint64_t seed_of(const Session& session) {
  return static_cast<std::uint64_t>(session.job.recipe.run.seed);
}

} // namespace

TrainInputs::TrainInputs(const Session& session)
    : session_(session),
      augment_(session.job.recipe.data.augment),
      normalizer_(
          session.job.recipe.data.preprocess,
          session.spec,
          session.device),
      erase_(job::erase_options(session.job.recipe)),
      mix_(job::mix_options(session.job.recipe)),
      noise_(at::globalContext().defaultGenerator(session.device).clone()) {}

MicroBatch
TrainInputs::make(const data::Batch& batch, std::int64_t step, std::int64_t k) {
  MicroBatch micro_batch{
      .inputs = normalizer_.inputs(batch, batch.count),
      .targets = normalizer_.targets(batch),
      .shares = {},
      .drop = drop(step, k * session_.plan.worker_batch(), batch.count),
      .dropout = masks(session_.device, step, k, /*replica=*/0)};
  if (augment_.erase.active()) {
    erase(micro_batch.inputs, batch);
  }
  if (batch.count > 0 && mixes(batch.draws.front().epoch)) {
    mix(micro_batch, batch, step, k);
  }
  return micro_batch;
}

at::Tensor TrainInputs::drop(
    std::int64_t step,
    std::int64_t first,
    std::int64_t count) const {
  const std::uint64_t seed = seed_of(session_);
  const std::int64_t patches = session_.model->masked_patches();
  const at::Tensor drop = patches > 0
      ? patch_masks(patches, seed, step, first, count)
      : drop_factors(session_.model->drop_rates(), seed, step, first, count);
  return drop.defined() ? upload(drop, session_.device) : drop;
}

at::Generator TrainInputs::masks(
    const c10::Device& device,
    std::int64_t step,
    std::int64_t k,
    std::int64_t replica) const {
  return dropout_masks(
      device,
      session_.job.recipe.model,
      seed_of(session_),
      step,
      k * session_.plan.replicas + replica);
}

void TrainInputs::erase(const at::Tensor& images, const data::Batch& batch) {
  for (std::int64_t i = 0; i < batch.count; ++i) {
    const data::Erasing erasing = data::draw_erasing(
        erase_,
        batch.draws[static_cast<std::size_t>(i)],
        static_cast<int>(images.size(2)),
        static_cast<int>(images.size(3)));
    erase_boxes(images[i], erasing, augment_.erase.erasing_mode, noise_);
  }
}

bool TrainInputs::mixes(std::int64_t epoch) const {
  const config::MixConfig& mix = augment_.mix;
  return mix.active() && (!mix.mix_off_epoch || epoch < *mix.mix_off_epoch);
}

void TrainInputs::mix(
    MicroBatch& micro_batch,
    const data::Batch& batch,
    std::int64_t step,
    std::int64_t k) const {
  const std::int64_t rows = batch.count;
  const std::int64_t replicas = session_.plan.replicas;
  // As DataParallel cuts them.
  const std::int64_t group = (rows + replicas - 1) / replicas;
  std::vector<data::Mix> mixes;
  for (std::int64_t first = 0; first < rows; first += group) {
    const auto drawn = data::draw_mixes(
        mix_,
        step,
        k * replicas + first / group,
        std::min(group, rows - first),
        static_cast<int>(micro_batch.inputs.size(2)),
        static_cast<int>(micro_batch.inputs.size(3)));
    mixes.insert(mixes.end(), drawn.begin(), drawn.end());
  }
  const MixTable table(mixes, group, session_.device);
  const at::Tensor labels = micro_batch.targets;
  micro_batch.inputs = table.images(micro_batch.inputs);
  micro_batch.targets = table.labels(labels);
  micro_batch.shares = table.shares(class_shares(
      labels,
      session_.spec.num_classes,
      session_.job.recipe.train.label_smoothing));
}

} // namespace vitrain::engine
