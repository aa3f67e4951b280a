#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "config/paddlevit/paddlevit_keys.h"

// Translates PaddleViT's keys to a recipe.
namespace vitrain::config::paddlevit {
namespace {

Duration epochs(std::int64_t count) {
  return {static_cast<double>(count), Duration::Unit::kEpochs};
}

struct Size {
  const char* name;
  std::int64_t embed_dim;
  std::int64_t depth;
  std::int64_t num_heads;
};

// Sizes in the names of models (models/families/vit_names.cpp).
constexpr auto kSizes = std::to_array<Size>({
    {"tiny", 192, 12, 3},
    {"small", 384, 12, 6},
    {"base", 768, 12, 12},
    {"large", 1024, 24, 16},
    {"huge", 1280, 32, 16},
});

void name_vit(const Config& config, ModelConfig& to) {
  const PaddleModel& from = config.model;
  const Size* size = nullptr;
  for (const Size& known : kSizes) {
    const bool same = known.embed_dim == from.embed_dim &&
        known.depth == from.depth && known.num_heads == from.num_heads;
    size = same ? &known : size;
  }
  to.name = fmt::format(
      "{}_patch{}_{}",
      config.two_heads()
          ? fmt::format(
                "deit_{}_distilled", size == nullptr ? "base" : size->name)
          : fmt::format("vit_{}", size == nullptr ? "base" : size->name),
      from.patch_size,
      config.data.image_size);
  to.patch_size = from.patch_size;
  if (size == nullptr) {
    to.embed_dim = from.embed_dim;
    to.depth = from.depth;
    to.num_heads = from.num_heads;
  }
  to.mlp_ratio = from.mlp_ratio;
  to.dropout = from.dropout;
  to.attention_dropout = from.attention_dropout;
}

// Copies the values of keys that need no translation.
void copy_values(Config config, Recipe& recipe) {
  const Schema from = schema_of(config);
  const Schema to = schema_of(recipe);
  for (const Meaning& meaning : meanings()) {
    if (meaning.copied) {
      const auto find = [](const Schema& schema, std::string_view key) {
        return std::ranges::find(schema.fields, key, &Field::path);
      };
      find(to, meaning.sets)->set(find(from, meaning.key)->get());
    }
  }
}

void translate_model(const Config& config, ModelConfig& to) {
  const PaddleModel& from = config.model;
  to.image_size = config.data.image_size;
  if (config.data.image_channels != 3) {
    to.in_chans = config.data.image_channels;
  }
  if (from.vit_numbers) {
    name_vit(config, to);
    to.drop_path = from.droppath;
  } else if (const Network* network = config.network()) {
    to.name = config.two_heads() ? network->distilled : network->name;
    if (config.family->fixed_size) {
      to.image_size = network->image_size;
    }
    if (config.family->drop_path) {
      to.drop_path = from.droppath;
    }
  }
}

void translate_data(const Data& from, DataConfig& to) {
  to.train.kind = SourceKind::kList;
  to.eval.kind = SourceKind::kList;
  // PaddleViT's loader: DistributedBatchSampler, shuffled, without the
  // incomplete batch.
  to.sampler.policy = SamplerPolicy::kPaddle;
  to.sampler.shuffle = true;
  to.sampler.last_batch = LastBatch::kDrop;
  if (from.num_workers.value_or(0) > 0) {
    to.threads = from.num_workers;
  }
  to.preprocess.crop_pct = std::min(from.crop_pct, 1.0);
  if (from.crop_pct > 1.0) {
    to.preprocess.resize = static_cast<std::int64_t>(
        static_cast<double>(from.image_size) / from.crop_pct);
  }
  to.preprocess.interpolation = Filter::kBicubic;
}

void translate_colours(const Train& from, AugmentConfig& to) {
  if (from.rand_augment) {
    to.auto_augment = fmt::format(
        "paddlevit:randaugment-n{}-m{}",
        from.rand_augment_layers,
        from.rand_augment_magnitude);
  } else if (from.auto_augment) {
    to.auto_augment = "paddlevit:autoaugment";
  } else if (from.color_jitter > 0.0) {
    to.color_jitter = {from.color_jitter};
  }
}

void translate_erasing(const Train& from, EraseConfig& to) {
  if (from.random_erase_count > 0) {
    to.erasing = from.random_erase_prob;
    to.erasing_count = from.random_erase_count;
  }
}

void translate_optim(const Config& config, OptimConfig& to) {
  const Train& from = config.train;
  to.name = OptimKind::kAdamW;
  if (from.layer_decay.value_or(1.0) != 1.0) {
    to.layer_decay = from.layer_decay;
  }
  if (config.family == nullptr || config.family->decays_all) {
    to.no_decay.clear();
  }
  if (from.grad_clip.value_or(0.0) > 0.0) {
    to.clip_norm = from.grad_clip;
  }
}

void translate_schedule(const Train& from, ScheduleConfig& to) {
  to.name = ScheduleKind::kCosine;
  to.unit = ScheduleUnit::kEpoch;
  to.warmup = epochs(from.warmup_epochs);
  if (from.linear_scaled_lr) {
    to.scale.rule = ScaleRule::kLinear;
    to.scale.base_batch = from.linear_scaled_lr;
  }
  to.scale.apply_to = {"lr", "warmup_lr", "min_lr"};
}

} // namespace

Recipe translate(const Config& config, bool training) {
  Recipe recipe;
  copy_values(config, recipe);
  recipe.devices.count = config.ngpus;
  if (config.ngpus > 0) {
    recipe.devices.kind = DeviceKind::kCuda; // as -ngpus
  }
  translate_model(config, recipe.model);
  translate_data(config.data, recipe.data);
  translate_colours(config.train, recipe.data.augment);
  translate_erasing(config.train, recipe.data.augment.erase);
  translate_optim(config, recipe.optim);
  translate_schedule(config.train, recipe.schedule);
  recipe.train.precision =
      config.amp && training ? Precision::kBf16 : Precision::kFp32;
  if (config.train.model_ema) {
    recipe.train.ema.decay = config.train.model_ema_decay;
  }
  recipe.checkpoint.every = epochs(config.save_freq);
  recipe.checkpoint.keep_last = 1000000;
  recipe.eval.every = epochs(config.validate_freq);
  if (config.family != nullptr && config.family->translate != nullptr &&
      config.network() != nullptr) {
    config.family->translate(config, recipe);
  }
  return recipe;
}

} // namespace vitrain::config::paddlevit
