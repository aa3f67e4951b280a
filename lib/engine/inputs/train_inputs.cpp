#include "engine/inputs/train_inputs.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include "data/augment/splits.h"
#include "engine/inputs/drop_factors.h"
#include "engine/inputs/dropout.h"
#include "engine/inputs/erasing.h"
#include "engine/inputs/mixing.h"
#include "engine/inputs/patch_masks.h"
#include "engine/inputs/upload.h"
#include "engine/train/loss.h"
#include "job/options/data_options.h"
#include "optim/strengths.h"

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
          models::in_training(augment_, session.spec),
          session.device,
          session.job.recipe.train.splits()),
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

std::vector<double> TrainInputs::drop_rates(std::int64_t step) const {
  std::vector<double> rates = session_.model->drop_rates();
  const double share = optim::drop_path_share(
      session_.job.recipe.schedule.drop_path.shape,
      session_.plan.drop_path_cutoff,
      step,
      session_.plan.total_steps);
  for (double& rate : rates) {
    rate *= share;
  }
  return rates;
}

at::Tensor TrainInputs::drop(
    std::int64_t step,
    std::int64_t first,
    std::int64_t count) const {
  const std::uint64_t seed = seed_of(session_);
  const std::int64_t patches = session_.model->masked_patches();
  at::Tensor drop = patches > 0
      ? patch_masks(patches, seed, step, first, count)
      : drop_factors(
            drop_rates(step), seed, step, first * splits(), count * splits());
  if (splits() > 1 && drop.defined()) {
    // Drawn sample by sample: a sample's place in the global batch decides what
    // is dropped of each of its versions, not how many are on this worker.
    drop = drop.unflatten(1, {count, splits()}).transpose(1, 2).flatten(1, 2);
  }
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
  const bool clean = splits() == 1 || augment_.erase.erasing_clean;
  for (std::int64_t split = clean ? 0 : 1; split < splits(); ++split) {
    for (std::int64_t i = 0; i < batch.count; ++i) {
      const data::Draw& draw = batch.draws[static_cast<std::size_t>(i)];
      const data::Erasing erasing = data::draw_erasing(
          erase_,
          data::of_split(draw, splits(), split),
          static_cast<int>(images.size(2)),
          static_cast<int>(images.size(3)));
      erase_boxes(
          images[split * batch.count + i],
          erasing,
          augment_.erase.erasing_mode,
          noise_);
    }
  }
}

at::Tensor TrainInputs::pictures(
    const MicroBatch& micro_batch,
    std::int64_t count) const {
  const at::Tensor& inputs = micro_batch.inputs;
  const std::int64_t samples = inputs.size(0) / splits();
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    rows.push_back(i % splits() * samples + i / splits());
  }
  return normalizer_.bytes(
      inputs.index_select(0, at::tensor(rows).to(inputs.device())));
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
