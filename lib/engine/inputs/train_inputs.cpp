#include "engine/inputs/train_inputs.h"

#include <algorithm>
#include <optional>

#include <ATen/ATen.h>

#include "data/augment/splits.h"
#include "data/sources/index.h"
#include "engine/inputs/drop_factors.h"
#include "engine/inputs/dropout.h"
#include "engine/inputs/multi_hot.h"
#include "engine/inputs/patch_masks.h"
#include "engine/step/loss.h"
#include "engine/step/train_options.h"
#include "job/data_options.h"
#include "job/run/job.h"
#include "models/resolve.h"
#include "networks/model.h"
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
      uploads_(session.device) {
  if (!weighs_terms(session.job.recipe)) {
    class_weights_ = class_weights(session);
  }
  if (augment_.erase.active() &&
      augment_.erase.erasing_mode == config::EraseMode::kPixel) {
    numbers_ = EraseNumbers(
        seed_of(session),
        models::in_training(augment_, session.spec),
        session.device);
  }
}

MicroBatch
TrainInputs::make(const data::Batch& batch, std::int64_t step, std::int64_t k) {
  DeviceUpload upload = uploads_.open(batch);
  MicroBatch micro_batch{
      .inputs = {},
      .targets = {},
      .shares = {},
      .drop = drop(step, k * worker_batch_, batch.count),
      .dropout = masks(session_.device, step, k, /*replica=*/0)};
  const bool vectors = session_.spec.features > 0;
  if (!vectors) {
    micro_batch.targets = upload.add(labels_of(batch));
  }
  if (session_.job.recipe.data.train.multi_label) {
    micro_batch.shares = upload.add(label_lists(batch));
  }
  if (micro_batch.drop.defined()) {
    micro_batch.drop = upload.add(micro_batch.drop);
  }
  std::optional<MixTable> table;
  if (batch.count > 0 && mixes(batch.draws.front().epoch)) {
    table = mixes_of(batch, upload, step, k);
  }
  const std::vector<data::Erasing> erasings = erasings_of(batch);
  std::optional<EraseTable> boxes;
  if (!erasings.empty() && session_.device.is_cuda()) {
    boxes.emplace(
        erasings,
        augment_.erase,
        session_.spec.channels,
        [&](const at::Tensor& tensor) { return upload.add(tensor); });
  }
  const at::Tensor bytes = upload.send();
  sent_ = upload.sent();
  micro_batch.inputs = normalizer_.inputs(bytes, batch.count);
  if (vectors) {
    micro_batch.targets = normalizer_.targets(bytes, batch.count);
  }
  if (boxes) {
    boxes->fill(micro_batch.inputs, numbers_);
  } else {
    erase(micro_batch.inputs, erasings);
  }
  micro_batch.weights = weights_of(micro_batch.targets);
  if (table) {
    mix(micro_batch, *table);
  }
  return micro_batch;
}

at::Tensor TrainInputs::weights_of(const at::Tensor& labels) const {
  return class_weights_.defined() ? class_weights_.index_select(0, labels)
                                  : at::Tensor();
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
  // Labels, label lists, drop factors, two tensors of MixTable, and those of
  // EraseTable.
  constexpr std::int64_t kTensors = 5 + EraseTable::kTensors;
  const std::int64_t dropped = std::max<std::int64_t>(
      session_.model->masked_patches(),
      std::ssize(session_.model->drop_rates()));
  constexpr std::int64_t kLabel = sizeof(std::int64_t);
  constexpr std::int64_t kNumber = sizeof(float);
  const std::int64_t lists = session_.job.recipe.data.train.multi_label
      ? session_.spec.num_classes
      : 0;
  const std::int64_t boxes = augment_.erase.active()
      ? EraseTable::row_bytes(augment_.erase, session_.spec.channels)
      : 0;
  const std::int64_t row = kLabel + kNumber * lists +
      (kNumber * dropped + boxes) * splits() + MixTable::row_bytes();
  return DeviceUpload::room_for(kTensors, worker_batch_ * row);
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
    // Sampled per sample: the drop factors of a sample's versions depend on its
    // position in the global batch, not on the number of samples of this
    // worker.
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

std::vector<data::Erasing> TrainInputs::erasings_of(
    const data::Batch& batch) const {
  if (!augment_.erase.active()) {
    return {};
  }
  const ImageSize size =
      models::in_training(augment_, session_.spec).image_size;
  const bool clean = splits() == 1 || augment_.erase.erasing_clean;
  std::vector<data::Erasing> erasings;
  for (std::int64_t split = 0; split < splits(); ++split) {
    for (const data::Draw& draw : batch.draws) {
      erasings.push_back(
          split == 0 && !clean ? data::Erasing()
                               : data::draw_erasing(
                                     erase_,
                                     data::of_split(draw, splits(), split),
                                     static_cast<int>(size.height),
                                     static_cast<int>(size.width)));
    }
  }
  return erasings;
}

void TrainInputs::erase(
    const at::Tensor& images,
    const std::vector<data::Erasing>& erasings) const {
  for (std::size_t i = 0; i < erasings.size(); ++i) {
    erase_boxes(
        images[static_cast<std::int64_t>(i)],
        erasings[i],
        augment_.erase.erasing_mode,
        numbers_);
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
    DeviceUpload& upload,
    std::int64_t step,
    std::int64_t k) const {
  const ImageSize size =
      models::in_training(augment_, session_.spec).image_size;
  const std::int64_t rows = batch.count;
  const std::int64_t replicas = session_.plan.replicas;
  // Same chunks as in DataParallel.
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
            return upload.add(tensor);
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
  if (micro_batch.weights.defined()) {
    micro_batch.weights = table.weights(micro_batch.weights);
  }
}

} // namespace vitrain::engine
