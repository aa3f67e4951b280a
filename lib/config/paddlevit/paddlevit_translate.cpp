#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "config/paddlevit/paddlevit_keys.h"
#include "core/text.h"

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
  const std::int64_t embed_dim = config.integer("MODEL.EMBED_DIM");
  const std::int64_t depth = config.integer("MODEL.DEPTH");
  const std::int64_t num_heads = config.integer("MODEL.NUM_HEADS");
  const Size* size = nullptr;
  for (const Size& known : kSizes) {
    const bool same = known.embed_dim == embed_dim && known.depth == depth &&
        known.num_heads == num_heads;
    size = same ? &known : size;
  }
  to.name = fmt::format(
      "{}_patch{}_{}",
      config.two_heads()
          ? fmt::format(
                "deit_{}_distilled", size == nullptr ? "base" : size->name)
          : fmt::format("vit_{}", size == nullptr ? "base" : size->name),
      config.integer("MODEL.PATCH_SIZE"),
      config.integer("DATA.IMAGE_SIZE"));
  to.patch_size = config.integer("MODEL.PATCH_SIZE");
  if (size == nullptr) {
    to.embed_dim = embed_dim;
    to.depth = depth;
    to.num_heads = num_heads;
  }
  to.mlp_ratio = config.number("MODEL.MLP_RATIO");
  to.dropout = config.number("MODEL.DROPOUT");
  to.attention_dropout = config.number("MODEL.ATTENTION_DROPOUT");
}

// Copies the values of keys that need no translation.
void copy_values(const Config& config, Recipe& recipe) {
  const Schema to = schema_of(recipe);
  for (const foreign::Word& word : words()) {
    if (word.copied) {
      std::ranges::find(to.fields, word.sets, &Field::path)
          ->set(config.values.at(word.name));
    }
  }
}

void translate_model(const Config& config, ModelConfig& to) {
  to.image_size = config.integer("DATA.IMAGE_SIZE");
  if (config.integer("DATA.IMAGE_CHANNELS") != 3) {
    to.in_chans = config.integer("DATA.IMAGE_CHANNELS");
  }
  if (config.vit_numbers) {
    name_vit(config, to);
    to.drop_path = config.number("MODEL.DROPPATH");
  } else if (const Network* network = config.network()) {
    to.name = config.two_heads() ? network->distilled : network->name;
    if (config.family->fixed_size) {
      to.image_size = network->image_size;
    }
    if (config.family->drop_path) {
      to.drop_path = config.number("MODEL.DROPPATH");
    }
  }
}

void translate_data(const Config& from, DataConfig& to) {
  to.train.kind = SourceKind::kList;
  to.eval.kind = SourceKind::kList;
  // PaddleViT's loader: DistributedBatchSampler, shuffled, without the
  // incomplete batch.
  to.sampler.policy = SamplerPolicy::kPaddle;
  to.sampler.shuffle = true;
  to.sampler.last_batch = LastBatch::kDrop;
  if (from.integer("DATA.NUM_WORKERS") > 0) {
    to.threads = from.integer("DATA.NUM_WORKERS");
  }
  const double crop_pct = from.number("DATA.CROP_PCT");
  to.preprocess.crop_pct = std::min(crop_pct, 1.0);
  if (crop_pct > 1.0) {
    to.preprocess.resize = static_cast<std::int64_t>(
        static_cast<double>(from.integer("DATA.IMAGE_SIZE")) / crop_pct);
  }
  to.preprocess.interpolation = Filter::kBicubic;
}

void translate_colours(const Config& from, AugmentConfig& to) {
  if (from.flag("TRAIN.RAND_AUGMENT")) {
    to.auto_augment = fmt::format(
        "paddlevit:randaugment-n{}-m{}",
        from.integer("TRAIN.RAND_AUGMENT_LAYERS"),
        from.integer("TRAIN.RAND_AUGMENT_MAGNITUDE"));
  } else if (from.flag("TRAIN.AUTO_AUGMENT")) {
    to.auto_augment = "paddlevit:autoaugment";
  } else if (from.number("TRAIN.COLOR_JITTER") > 0.0) {
    to.color_jitter = {from.number("TRAIN.COLOR_JITTER")};
  }
}

void translate_erasing(const Config& from, EraseConfig& to) {
  if (from.integer("TRAIN.RANDOM_ERASE_COUNT") > 0) {
    to.erasing = from.number("TRAIN.RANDOM_ERASE_PROB");
    to.erasing_count = from.integer("TRAIN.RANDOM_ERASE_COUNT");
  }
}

void translate_optim(const Config& config, OptimConfig& to) {
  to.name = OptimKind::kAdamW;
  const double layer_decay = config.number("TRAIN.LAYER_DECAY"); // 0: None
  if (layer_decay != 0.0 && layer_decay != 1.0) {
    to.layer_decay = layer_decay;
  }
  if (config.family == nullptr || config.family->decays_all) {
    to.no_decay.clear();
  }
  if (config.number("TRAIN.GRAD_CLIP") > 0.0) {
    to.clip_norm = config.number("TRAIN.GRAD_CLIP");
  }
}

void translate_schedule(const Config& from, ScheduleConfig& to) {
  to.name = ScheduleKind::kCosine;
  to.unit = ScheduleUnit::kEpoch;
  to.warmup = epochs(from.integer("TRAIN.WARMUP_EPOCHS"));
  if (const auto base = from.integer("TRAIN.LINEAR_SCALED_LR"); base > 0) {
    to.scale.rule = ScaleRule::kLinear;
    to.scale.base_batch = base;
  }
  to.scale.apply_to = {"lr", "warmup_lr", "min_lr"};
}

// Sets loss, metric, model.mask_ratio, model.norm_pix_loss and the decoder's
// keys for the pretraining of masked autoencoders, and resets classes,
// drop_path, mixup, CutMix and label smoothing. In PaddleViT, the script
// decides whether a file is for pretraining; here the key MAE_PRETRAIN does,
// which PaddleViT's files for fine-tuning lack.
void translate_pretraining(const Config& config, Recipe& recipe) {
  const auto number = [&](std::string_view key) {
    double value = 0.0;
    parse_double(config.own.find(key)->second, value);
    return value;
  };
  const auto count = [&](std::string_view key) {
    return static_cast<std::int64_t>(number(key));
  };
  ModelConfig& model = recipe.model;
  model.num_classes.reset();
  model.drop_path = 0.0;
  model.decoder_embed_dim = count("TRANS.DECODER.EMBED_DIM");
  model.decoder_depth = count("TRANS.DECODER.DEPTH");
  model.decoder_num_heads = count("TRANS.DECODER.NUM_HEADS");
  model.mask_ratio = number("TRANS.MASK_RATIO");
  model.norm_pix_loss = config.flag("TRAIN.NORMALIZE_TARGET");
  recipe.train.loss = LossKind::kPixels;
  recipe.train.label_smoothing = 0.0;
  recipe.data.augment.mix.mixup = 0.0;
  recipe.data.augment.mix.cutmix = 0.0;
  recipe.data.augment.mix.cutmix_minmax.reset();
  recipe.checkpoint.metric = Metric::kLoss;
}

} // namespace

Recipe translate(const Config& config, bool training) {
  Recipe recipe;
  copy_values(config, recipe);
  recipe.devices.count = config.integer("NGPUS");
  if (recipe.devices.count > 0) {
    recipe.devices.kind = DeviceKind::kCuda; // as -ngpus
  }
  translate_model(config, recipe.model);
  translate_data(config, recipe.data);
  translate_colours(config, recipe.data.augment);
  translate_erasing(config, recipe.data.augment.erase);
  translate_optim(config, recipe.optim);
  translate_schedule(config, recipe.schedule);
  recipe.train.precision =
      config.flag("AMP") && training ? Precision::kBf16 : Precision::kFp32;
  if (config.flag("TRAIN.MODEL_EMA")) {
    recipe.train.ema.decay = config.number("TRAIN.MODEL_EMA_DECAY");
  }
  recipe.checkpoint.every = epochs(config.integer("SAVE_FREQ"));
  recipe.checkpoint.keep_last = 1000000;
  recipe.eval.every = epochs(config.integer("VALIDATE_FREQ"));
  const auto pretrains = config.own.find("MAE_PRETRAIN");
  if (pretrains != config.own.end() && pretrains->second == "true" &&
      config.network() != nullptr) {
    translate_pretraining(config, recipe);
  }
  return recipe;
}

} // namespace vitrain::config::paddlevit
