#include "job/data_options.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "config/rules/plan.h"
#include "data/load/weights.h"
#include "job/augment_options.h"
#include "models/resolve.h"

namespace vitrain::job {
namespace {

// Returns the filter that `interpolation` names, or `otherwise` if it names
// none.
Filter filter_of(config::TrainInterpolation interpolation, Filter otherwise) {
  return value_of<Filter>(name_of(interpolation)).value_or(otherwise);
}

// Returns the range of relative crop areas; defaults are timm's.
std::array<double, 2> scale_of(const config::AugmentConfig& augment) {
  const bool resized = augment.crop == TrainCrop::kResized;
  return augment.scale.value_or(
      std::array<double, 2>{resized ? 0.08 : 0.8, 1.0});
}

std::array<double, 2> ratio_of(const config::AugmentConfig& augment) {
  return augment.ratio.value_or(
      augment.crop == TrainCrop::kResized
          ? std::array<double, 2>{3.0 / 4.0, 4.0 / 3.0}
          : std::array<double, 2>{0.9, 1 / 0.9});
}

} // namespace

data::SourceOptions source_options(
    const config::SourceConfig& source,
    bool train) {
  return {
      .kind = source.kind,
      .path = source.path.value_or(""),
      .train = train,
      .count = source.count,
      .size = source.size,
      .seed = source.seed,
      // For files, the number follows from the labels.
      .classes = source.kind == SourceKind::kRandom ? source.classes : 0,
      .features = source.features,
      .targets = source.targets,
      .class_order = source.class_order,
      .class_map = source.class_map.value_or(""),
      .label = source.label.value_or(""),
      .multi_label = source.multi_label};
}

data::SourceOptions evaluation_options(
    const config::SourceConfig& source,
    const data::Index& train) {
  data::SourceOptions options = source_options(source, /*train=*/false);
  if (options.kind != SourceKind::kRandom) {
    options.classes = std::ssize(train.classes());
  }
  options.trained_labels = train.label_form();
  return options;
}

image::DecodeOptions decode_options(const config::DataConfig& data) {
  return {
      .max_pixels = data.max_pixels,
      .memory = data.decode_memory_mb << 20,
      .exif_orientation = data.preprocess.exif_orientation,
      .range = data.preprocess.range};
}

image::Pillow pillow(std::int64_t version) {
  return version >= 13 ? image::Pillow::k13 : image::Pillow::k12;
}

data::TransformOptions transform_options(
    const config::Recipe& recipe,
    const models::ModelSpec& spec,
    bool train) {
  const config::PreprocessConfig& preprocess = recipe.data.preprocess;
  const config::AugmentConfig& augment = recipe.data.augment;
  const ImageSize size =
      train ? models::in_training(augment, spec).image_size : spec.image_size;
  return {
      .decode = decode_options(recipe.data),
      .size = {static_cast<int>(size.width), static_cast<int>(size.height)},
      .channels = static_cast<int>(spec.channels),
      .filter = preprocess.interpolation,
      .pillow = pillow(preprocess.pillow),
      .crop_mode = preprocess.crop_mode,
      .resize = static_cast<int>(preprocess.resize.value_or(0)),
      .crop_pct = preprocess.crop_pct,
      .fill = preprocess.crop_mode == CropMode::kBorder
          ? mean_colour(preprocess.mean)
          : std::array<std::uint8_t, 3>{},
      .train = train,
      .crop = augment.crop,
      .train_filter =
          filter_of(augment.interpolation, preprocess.interpolation),
      .random_filter =
          augment.interpolation == config::TrainInterpolation::kRandom,
      .scale = scale_of(augment),
      .ratio = ratio_of(augment),
      .padding = static_cast<int>(augment.padding),
      .reflects = augment.padding_mode == config::PaddingMode::kReflect,
      .flip = augment.flip,
      .flip_alternates = augment.flip_alternates,
      .augment = augment_options(recipe),
      .seed = static_cast<std::uint64_t>(recipe.run.seed)};
}

data::MixOptions mix_options(const config::Recipe& recipe) {
  const config::MixConfig& mix = recipe.data.augment.mix;
  return {
      .mixup = mix.mixup,
      .cutmix = mix.cutmix,
      .cutmix_minmax = mix.cutmix_minmax,
      .prob = mix.mix_prob,
      .switch_prob = mix.mix_switch_prob,
      .mode = mix.mix_mode,
      .seed = static_cast<std::uint64_t>(recipe.run.seed)};
}

data::EraseOptions erase_options(const config::Recipe& recipe) {
  const config::EraseConfig& erase = recipe.data.augment.erase;
  return {
      .probability = erase.erasing,
      .area = erase.erasing_area,
      .aspect = erase.erasing_aspect,
      .count = erase.erasing_count,
      .seed = static_cast<std::uint64_t>(recipe.run.seed)};
}

data::BadSamplePolicy bad_sample_policy(
    const config::Recipe& recipe,
    bool train) {
  return {
      .replace =
          train && recipe.data.on_bad_sample == config::OnBadSample::kReplace,
      .reject_warnings =
          recipe.data.decoder_warnings == config::DecoderWarnings::kReject,
      .seed = static_cast<std::uint64_t>(recipe.run.seed)};
}

models::DataShape data_shape(const data::Index& index) {
  const data::SourceOptions& options = index.options();
  if (options.kind == data::SourceKind::kVectors) {
    return {.outputs = options.targets, .features = options.features};
  }
  return {.outputs = std::ssize(index.classes())};
}

namespace {

data::SamplerOptions sampler_options(
    const config::Recipe& recipe,
    const data::Index& index) {
  const config::SamplerConfig& sampler = recipe.data.sampler;
  data::SamplerOptions options{
      .policy = sampler.policy,
      .shuffle = sampler.shuffle,
      .last_batch = sampler.last_batch,
      .seed = static_cast<std::uint64_t>(recipe.run.seed),
      .drop_tail = sampler.drop_tail,
      .repeats = sampler.repeats,
      .round = sampler.round};
  if (sampler.policy == SamplerPolicy::kWeighted) {
    options.weights = sampler.weights == "balanced"
        ? data::balanced_sample_weights(index)
        : data::read_weights(sampler.weights, index);
  }
  return options;
}

} // namespace

std::unique_ptr<const data::Samplers> make_samplers(
    const config::Recipe& recipe,
    const data::Index* index,
    std::int64_t devices,
    const std::optional<data::PartialEpoch>& begun) {
  if (index == nullptr) {
    return nullptr;
  }
  data::SamplerOptions options = sampler_options(recipe, *index);
  std::vector<data::Samplers::Stage> stages;
  for (const config::BatchStage& stage :
       config::batch_stages(recipe, devices)) {
    const config::BatchPlan& batch = stage.batch;
    const bool goes_on = begun && begun->epoch >= stage.first_epoch &&
        begun->epoch < stage.end_epoch;
    if (stage.first_epoch > 0) {
      options.batch_key = fmt::format(
          "data.augment.stages: batch_size from epoch {}",
          stage.first_epoch + 1);
    }
    stages.push_back(
        {.first_epoch = stage.first_epoch,
         .sampler = std::make_unique<const data::Sampler>(
             index->size(),
             options,
             data::BatchGeometry{
                 .per_device =
                     batch.global_batch / (batch.workers * batch.accumulate),
                 .world = static_cast<int>(batch.parts()),
                 .accumulate = static_cast<int>(batch.part_batches())},
             goes_on ? begun : std::nullopt)});
  }
  return std::make_unique<const data::Samplers>(std::move(stages));
}

} // namespace vitrain::job
