#include "engine/inputs/train_inputs.h"

#include <algorithm>
#include <optional>

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include "data/augment/splits.h"
#include "engine/inputs/drop_factors.h"
#include "engine/inputs/dropout.h"
#include "engine/inputs/erasing.h"
#include "engine/inputs/multi_hot.h"
#include "engine/inputs/patch_masks.h"
#include "engine/train/loss.h"
#include "job/options/data_options.h"
#include "optim/strengths.h"

namespace vitrain::engine {
namespace {

std::uint64_t seed_of(const Session& session) {
  return static_cast<std::uint64_t>(session.job.recipe.run.seed);
}

} // namespace

TrainInputs::TrainInputs(
    const Session& session,
    const config::Recipe& recipe,
    const config::BatchPlan& batch)
    : session_(session),
      worker_batch_(batch.worker_batch()),
      augment_(recipe.data.augment),
      normalizer_(
          recipe.data.preprocess,
          models::in_training(augment_, session.spec),
          session.device,
          recipe.train.splits()),
      erase_(job::erase_options(recipe)),
      mix_(job::mix_options(recipe)),
      noise_(at::globalContext().defaultGenerator(session.device).clone()),
      parcels_(session.device) {}

MicroBatch
TrainInputs::make(const data::Batch& batch, std::int64_t step, std::int64_t k) {
  Parcel parcel = parcels_.open(batch);
  MicroBatch micro_batch{
      .inputs = {},
      .targets = {},
      .shares = {},
      .drop = drop(step, k * worker_batch_, batch.count),
      .dropout = masks(session_.device, step, k, /*replica=*/0)};
  const bool vectors = session_.spec.features > 0;
  if (!vectors) {
    micro_batch.targets = parcel.add(labels_of(batch));
  }
  if (session_.job.recipe.data.train.multi_label) {
    micro_batch.shares = parcel.add(label_lists(batch));
  }
  if (micro_batch.drop.defined()) {
    micro_batch.drop = parcel.add(micro_batch.drop);
  }
  std::optional<MixTable> table;
  if (batch.count > 0 && mixes(batch.draws.front().epoch)) {
    table = mixes_of(batch, parcel, step, k);
  }
  const at::Tensor bytes = parcel.send();
  sent_ = parcel.sent();
  micro_batch.inputs = normalizer_.inputs(bytes, batch.count);
  if (vectors) {
    micro_batch.targets = normalizer_.targets(bytes, batch.count);
  }
  if (augment_.erase.active()) {
    erase(micro_batch.inputs, batch);
  }
  if (table) {
    mix(micro_batch, *table);
  }
  return micro_batch;
}

at::Tensor TrainInputs::label_lists(const data::Batch& batch) const {
  std::vector<std::int64_t> samples;
  for (const data::Draw& draw : batch.draws) {
    samples.push_back(draw.sample);
  }
  return multi_hot(*session_.train_index, samples, session_.spec.num_classes);
}

std::size_t TrainInputs::tail_bytes() const {
  if (session_.device.is_cpu()) {
    return 0;
  }
  constexpr std::int64_t kTensors =
      5; // labels (or lists), drop, the table's two
  const std::int64_t dropped = std::max<std::int64_t>(
      session_.model->masked_patches(),
      std::ssize(session_.model->drop_rates()));
  constexpr std::int64_t kLabel = sizeof(std::int64_t);
  constexpr std::int64_t kNumber = sizeof(float);
  const std::int64_t lists = session_.job.recipe.data.train.multi_label
      ? session_.spec.num_classes
      : 0;
  const std::int64_t row = kLabel + kNumber * lists +
      kNumber * dropped * splits() + MixTable::row_bytes();
  return Parcel::room_for(kTensors, worker_batch_ * row);
}

std::vector<double> TrainInputs::drop_rates(std::int64_t step) const {
  std::vector<double> rates = session_.model->drop_rates();
  const double share = optim::drop_path_share(
      session_.job.recipe.schedule.drop_path.shape,
      session_.plan.drop_path_cutoff,
      session_.plan.schedule_time(step),
      session_.plan.schedule_steps);
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
  return drop;
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

MixTable TrainInputs::mixes_of(
    const data::Batch& batch,
    Parcel& parcel,
    std::int64_t step,
    std::int64_t k) const {
  const ImageSize size =
      models::in_training(augment_, session_.spec).image_size;
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
        static_cast<int>(size.height),
        static_cast<int>(size.width));
    mixes.insert(mixes.end(), drawn.begin(), drawn.end());
  }
  return {mixes, group, [&](const at::Tensor& tensor) {
            return parcel.add(tensor);
          }};
}

void TrainInputs::mix(MicroBatch& micro_batch, const MixTable& table) const {
  const at::Tensor labels = micro_batch.targets;
  const at::Tensor shares = micro_batch.shares.defined()
      ? micro_batch.shares
      : class_shares(
            labels,
            session_.spec.num_classes,
            session_.job.recipe.train.label_smoothing);
  micro_batch.inputs = table.images(micro_batch.inputs);
  micro_batch.targets = table.labels(labels);
  micro_batch.shares = table.shares(shares);
}

} // namespace vitrain::engine
