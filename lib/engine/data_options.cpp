#include "engine/data_options.h"

namespace vitrain::engine {
namespace {

data::SourceKind source_kind(config::SourceKind kind) {
  switch (kind) {
    case config::SourceKind::kFolder:
      return data::SourceKind::kFolder;
    case config::SourceKind::kShapes:
      return data::SourceKind::kShapes;
    case config::SourceKind::kCifar:
      return data::SourceKind::kCifar;
  }
  return data::SourceKind::kFolder;
}

data::CropKind crop_kind(config::TrainCrop crop) {
  switch (crop) {
    case config::TrainCrop::kNone:
      return data::CropKind::kNone;
    case config::TrainCrop::kPad:
      return data::CropKind::kPad;
    case config::TrainCrop::kResized:
      return data::CropKind::kResized;
  }
  return data::CropKind::kNone;
}

data::LastBatch last_batch(config::LastBatch last) {
  switch (last) {
    case config::LastBatch::kDrop:
      return data::LastBatch::kDrop;
    case config::LastBatch::kKeep:
      return data::LastBatch::kKeep;
    case config::LastBatch::kPad:
      return data::LastBatch::kPad;
  }
  return data::LastBatch::kDrop;
}

} // namespace

data::SourceOptions source_options(
    const config::SourceConfig& source,
    bool train) {
  return {
      .kind = source_kind(source.kind),
      .path = source.path.value_or(""),
      .train = train,
      .count = source.count,
      .size = source.size,
      .seed = source.seed};
}

data::TransformOptions transform_options(
    const config::Recipe& recipe,
    std::int64_t image_size,
    bool train) {
  const config::PreprocessConfig& preprocess = recipe.data.preprocess;
  const config::AugmentConfig& augment = recipe.data.augment;
  return {
      .size = static_cast<int>(image_size),
      .filter = preprocess.interpolation == config::Interpolation::kBicubic
          ? image::Filter::kBicubic
          : image::Filter::kBilinear,
      .crop_pct = preprocess.crop_pct,
      .train = train,
      .crop = crop_kind(augment.crop),
      .scale = augment.scale,
      .ratio = augment.ratio,
      .padding = static_cast<int>(augment.padding),
      .flip = augment.flip,
      .seed = static_cast<std::uint64_t>(recipe.run.seed)};
}

data::SamplerOptions sampler_options(const config::Recipe& recipe) {
  const config::SamplerConfig& sampler = recipe.data.sampler;
  return {
      .policy = sampler.policy == config::SamplerPolicy::kSequential
          ? data::SamplerPolicy::kSequential
          : data::SamplerPolicy::kGlobal,
      .shuffle = sampler.shuffle,
      .last_batch = last_batch(sampler.last_batch),
      .seed = static_cast<std::uint64_t>(recipe.run.seed)};
}

} // namespace vitrain::engine
