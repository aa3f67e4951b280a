#include "config/paddlevit/paddlevit_keys.h"

#include <array>

#include <fmt/format.h>

namespace vitrain::config::paddlevit {
namespace {

// Together they are a size with a name, or numbers of their own.
constexpr std::string_view kSize =
    "model.name model.embed_dim model.depth model.num_heads";

constexpr auto kMeanings = std::to_array<Meaning>({
    {"DATA.BATCH_SIZE", "data.batch_size", "per device"},
    {"DATA.BATCH_SIZE_EVAL",
     "data.eval_batch_size",
     "None: as BATCH_SIZE (PaddleViT's own None ends in an error)"},
    {"DATA.DATA_PATH",
     "data.train.path data.eval.path",
     "train_list.txt and val_list.txt in it"},
    {"DATA.DATASET", "data.train.kind data.eval.kind", "list"},
    {"DATA.IMAGE_SIZE", "model.image_size model.name", ""},
    {"DATA.IMAGE_CHANNELS", "", "images have 3 channels"},
    {"DATA.CROP_PCT", "data.preprocess.crop_pct", ""},
    {"DATA.NUM_WORKERS",
     "data.threads",
     "threads instead of processes; not set: as many as a worker has cores"},
    {"DATA.IMAGENET_MEAN", "data.preprocess.mean", ""},
    {"DATA.IMAGENET_STD", "data.preprocess.std", ""},
    {"MODEL.TYPE", "optim.no_decay", "vit, or deit without distillation"},
    {"MODEL.NAME", "", "a label; the numbers below MODEL make the model"},
    {"MODEL.RESUME", "", "runs are continued with -resume"},
    {"MODEL.PRETRAINED", "model.pretrained", ""},
    {"MODEL.NUM_CLASSES", "model.num_classes", ""},
    {"MODEL.DROPOUT", "model.dropout", ""},
    {"MODEL.ATTENTION_DROPOUT", "model.attention_dropout", ""},
    {"MODEL.DROPPATH",
     "model.drop_path",
     "applied here; PaddleViT's ViT has the calls commented out"},
    {"MODEL.PATCH_SIZE", "model.patch_size model.name", ""},
    {"MODEL.EMBED_DIM", kSize, ""},
    {"MODEL.NUM_HEADS", kSize, ""},
    {"MODEL.ATTN_HEAD_SIZE", "", "always EMBED_DIM / NUM_HEADS"},
    {"MODEL.DEPTH", kSize, ""},
    {"MODEL.MLP_RATIO", "model.mlp_ratio", ""},
    {"MODEL.QKV_BIAS", "", "there is a bias"},
    {"TRAIN.LAST_EPOCH", "", "a continued run knows its epoch"},
    {"TRAIN.NUM_EPOCHS", "run.epochs", ""},
    {"TRAIN.WARMUP_EPOCHS", "schedule.warmup", ""},
    {"TRAIN.BASE_LR", "optim.lr", ""},
    {"TRAIN.WARMUP_START_LR", "schedule.warmup_lr", ""},
    {"TRAIN.END_LR", "schedule.min_lr", ""},
    {"TRAIN.WEIGHT_DECAY", "optim.weight_decay", ""},
    {"TRAIN.GRAD_CLIP", "optim.clip_norm", "0: not at all"},
    {"TRAIN.ACCUM_ITER",
     "train.accumulate",
     "micro-batches that an epoch leaves over are dropped and counted "
     "(PaddleViT takes a step with a smaller gradient)"},
    {"TRAIN.LINEAR_SCALED_LR",
     "schedule.scale.rule schedule.scale.base_batch",
     "of lr, warmup_lr and min_lr"},
    {"TRAIN.MODEL_EMA", "", "weights are not averaged over steps"},
    {"TRAIN.MODEL_EMA_DECAY", "", "belongs to MODEL_EMA"},
    {"TRAIN.MODEL_EMA_FORCE_CPU", "", "belongs to MODEL_EMA"},
    {"TRAIN.SMOOTHING",
     "train.label_smoothing",
     "applied as it is; PaddleViT takes 0.1 whatever it says"},
    {"TRAIN.COLOR_JITTER",
     "data.augment.color_jitter",
     "of brightness, contrast and saturation, without the other two"},
    {"TRAIN.AUTO_AUGMENT",
     "data.augment.auto_augment",
     "PaddleViT's AutoAugment; RAND_AUGMENT wins"},
    {"TRAIN.RAND_AUGMENT",
     "data.augment.auto_augment",
     "PaddleViT's RandAugment (paddlevit:randaugment)"},
    {"TRAIN.RAND_AUGMENT_LAYERS", "data.augment.auto_augment", ""},
    {"TRAIN.RAND_AUGMENT_MAGNITUDE", "data.augment.auto_augment", ""},
    {"TRAIN.MIXUP_ALPHA", "data.augment.mixup", ""},
    {"TRAIN.MIXUP_PROB", "data.augment.mix_prob", "of CutMix, too"},
    {"TRAIN.MIXUP_SWITCH_PROB", "data.augment.mix_switch_prob", ""},
    {"TRAIN.MIXUP_MODE",
     "data.augment.mix_mode",
     "pair and elem as timm has them (PaddleViT has batch only)"},
    {"TRAIN.CUTMIX_ALPHA",
     "data.augment.cutmix",
     "also without mixup (PaddleViT then mixes up with its alpha)"},
    {"TRAIN.CUTMIX_MINMAX", "data.augment.cutmix_minmax", ""},
    {"TRAIN.RANDOM_ERASE_PROB", "data.augment.erasing", ""},
    {"TRAIN.RANDOM_ERASE_MODE", "data.augment.erasing_mode", ""},
    {"TRAIN.RANDOM_ERASE_COUNT",
     "data.augment.erasing_count",
     "0: nothing is erased"},
    {"TRAIN.RANDOM_ERASE_SPLIT", "", "all of a batch may be erased"},
    {"TRAIN.DISTILLATION_TYPE", "", "no distillation"},
    {"TRAIN.DISTILLATION_ALPHA", "", "belongs to DISTILLATION_TYPE"},
    {"TRAIN.DISTILLATION_TAU", "", "belongs to DISTILLATION_TYPE"},
    {"TRAIN.TEACHER_MODEL", "", "belongs to DISTILLATION_TYPE"},
    {"TRAIN.LAYER_DECAY", "", "all layers have one learning rate"},
    {"TRAIN.OPTIMIZER.NAME",
     "",
     "always AdamW, as in PaddleViT's ViT and DeiT"},
    {"TRAIN.OPTIMIZER.EPS", "optim.eps", ""},
    {"TRAIN.OPTIMIZER.BETAS", "optim.betas", ""},
    {"SAVE", "run.output", ""},
    {"SAVE_FREQ", "checkpoint.every", "in epochs; no checkpoint is removed"},
    {"REPORT_FREQ", "log.every", "in optimizer steps"},
    {"VALIDATE_FREQ", "eval.every", "in epochs"},
    {"SEED", "run.seed", "PaddleViT's order of samples has no seed"},
    {"EVAL", "", "evaluation is asked for with -eval"},
    {"AMP",
     "train.precision",
     "True: bf16 (PaddleViT: fp16), but not for -eval; False: fp32"},
    {"NGPUS",
     "devices.count devices.kind",
     "a number of GPUs; -1: all that are visible"},
    {"TAG", "", "a label"},
    {"LOCAL_RANK", "", "workers know their rank"},
});

bool known_family(std::string_view family) {
  return family == "vit" || family == "deit";
}

constexpr auto kLimits = std::to_array<Limit>({
    {"DATA.IMAGE_CHANNELS",
     true,
     [](const Config& c) { return c.data.image_channels == 3; },
     "images have 3 channels here",
     ""},
    {"MODEL.TYPE",
     true,
     [](const Config& c) { return known_family(c.model.type); },
     "this family of models is not available in this version: vit is, and deit "
     "without distillation",
     ""},
    {"MODEL.RESUME",
     false,
     [](const Config& c) { return !c.model.resume; },
     "a run is continued with -resume PATH on the command line: set it to None",
     ""},
    {"MODEL.ATTN_HEAD_SIZE",
     true,
     [](const Config& c) {
       const auto& size = c.model.attn_head_size;
       return !size || *size * c.model.num_heads == c.model.embed_dim;
     },
     "must be None or EMBED_DIM / NUM_HEADS: other sizes of attention heads "
     "are not available in this version",
     ""},
    {"MODEL.QKV_BIAS",
     true,
     [](const Config& c) { return c.model.qkv_bias; },
     "must be True: attention without a bias is not available in this version",
     ""},
    {"TRAIN.LAST_EPOCH",
     false,
     [](const Config& c) { return c.train.last_epoch == 0; },
     "must be 0: a run that is continued with -resume PATH goes on at the "
     "epoch of its checkpoint",
     ""},
    {"TRAIN.MODEL_EMA",
     false,
     [](const Config& c) { return !c.train.model_ema; },
     "averaging of the weights is not available in this version",
     "False"},
    {"TRAIN.RANDOM_ERASE_SPLIT",
     false,
     [](const Config& c) {
       return !c.train.random_erase_split || c.train.random_erase_prob == 0.0;
     },
     "erasing in a part of each batch only is not available in this version",
     "False"},
    {"TRAIN.DISTILLATION_TYPE",
     true,
     [](const Config& c) { return c.train.distillation_type == "none"; },
     "distillation, and the second token of its models, are not available in "
     "this version: none is",
     ""},
    {"TRAIN.LAYER_DECAY",
     false,
     [](const Config& c) { return c.train.layer_decay.value_or(1.0) == 1.0; },
     "learning rates by layer are not available in this version",
     "None"},
    {"TRAIN.OPTIMIZER.NAME",
     false,
     [](const Config& c) { return c.train.optimizer.name == "AdamW"; },
     "must be AdamW: PaddleViT's ViT and DeiT train with AdamW whatever stands "
     "here",
     ""},
    {"EVAL",
     false,
     [](const Config& c) { return !c.eval; },
     "evaluation is asked for with -eval on the command line: set it to False",
     ""},
});

Duration epochs(std::int64_t count) {
  return {static_cast<double>(count), Duration::Unit::kEpochs};
}

struct Size {
  const char* name;
  std::int64_t embed_dim;
  std::int64_t depth;
  std::int64_t num_heads;
};

// The sizes that model names have (lib/models/registry.cpp).
constexpr auto kSizes = std::to_array<Size>({
    {"tiny", 192, 12, 3},
    {"small", 384, 12, 6},
    {"base", 768, 12, 12},
    {"large", 1024, 24, 16},
    {"huge", 1280, 32, 16},
});

ModelConfig translate_model(const Config& config) {
  const Model& from = config.model;
  ModelConfig to;
  const Size* size = nullptr;
  for (const Size& known : kSizes) {
    const bool same = known.embed_dim == from.embed_dim &&
        known.depth == from.depth && known.num_heads == from.num_heads;
    size = same ? &known : size;
  }
  to.name = fmt::format(
      "vit_{}_patch{}_{}",
      size == nullptr ? "base" : size->name,
      from.patch_size,
      config.data.image_size);
  to.num_classes = from.num_classes;
  to.image_size = config.data.image_size;
  to.patch_size = from.patch_size;
  if (size == nullptr) {
    to.embed_dim = from.embed_dim;
    to.depth = from.depth;
    to.num_heads = from.num_heads;
  }
  to.mlp_ratio = from.mlp_ratio;
  to.drop_path = from.droppath;
  to.dropout = from.dropout;
  to.attention_dropout = from.attention_dropout;
  to.pretrained = from.pretrained;
  return to;
}

DataConfig translate_data(const Data& from) {
  DataConfig to;
  to.train.kind = SourceKind::kList;
  to.eval.kind = SourceKind::kList;
  to.batch_size = from.batch_size;
  to.eval_batch_size = from.batch_size_eval;
  // Its loader: DistributedBatchSampler, shuffled, without the short batch.
  to.sampler.policy = SamplerPolicy::kPaddle;
  to.sampler.shuffle = true;
  to.sampler.last_batch = LastBatch::kDrop;
  if (from.num_workers.value_or(0) > 0) {
    to.threads = from.num_workers;
  }
  to.preprocess.mean = from.mean;
  to.preprocess.std = from.std;
  to.preprocess.crop_pct = from.crop_pct;
  to.preprocess.interpolation = Filter::kBicubic;
  return to;
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

void translate_mixing(const Train& from, AugmentConfig& to) {
  to.mix.mixup = from.mixup_alpha;
  to.mix.cutmix = from.cutmix_alpha;
  to.mix.cutmix_minmax = from.cutmix_minmax;
  to.mix.mix_prob = from.mixup_prob;
  to.mix.mix_switch_prob = from.mixup_switch_prob;
  to.mix.mix_mode = from.mixup_mode;
  if (from.random_erase_count > 0) {
    to.erase.erasing = from.random_erase_prob;
    to.erase.erasing_count = from.random_erase_count;
  }
  to.erase.erasing_mode = from.random_erase_mode;
}

OptimConfig translate_optim(const Config& config) {
  const Train& from = config.train;
  OptimConfig to;
  to.name = OptimKind::kAdamW;
  to.lr = from.base_lr;
  to.weight_decay = from.weight_decay;
  to.betas = from.optimizer.betas;
  to.eps = from.optimizer.eps;
  if (config.model.type == "vit") {
    to.no_decay.clear(); // its ViT exempts nothing
  }
  if (from.grad_clip.value_or(0.0) > 0.0) {
    to.clip_norm = from.grad_clip;
  }
  return to;
}

ScheduleConfig translate_schedule(const Train& from) {
  ScheduleConfig to;
  to.name = ScheduleKind::kCosine;
  to.unit = ScheduleUnit::kEpoch;
  to.warmup = epochs(from.warmup_epochs);
  to.warmup_lr = from.warmup_start_lr;
  to.min_lr = from.end_lr;
  if (from.linear_scaled_lr) {
    to.scale.rule = ScaleRule::kLinear;
    to.scale.base_batch = from.linear_scaled_lr;
  }
  to.scale.apply_to = {"lr", "warmup_lr", "min_lr"};
  return to;
}

} // namespace

std::span<const Meaning> meanings() {
  return kMeanings;
}

std::span<const Limit> limits() {
  return kLimits;
}

Config defaults_of(std::string_view family) {
  Config config;
  if (family == "deit") {
    config.model.type = "deit";
    config.model.name = "deit";
    config.data.mean = {0.485, 0.456, 0.406};
    config.data.std = {0.229, 0.224, 0.225};
    Train& train = config.train;
    train.warmup_epochs = 5;
    train.base_lr = 5e-4;
    train.weight_decay = 0.05;
    train.linear_scaled_lr = 512;
    train.model_ema = true;
    train.smoothing = 0.1;
    train.color_jitter = 0.4;
    train.rand_augment = true;
    train.mixup_alpha = 0.8;
    train.cutmix_alpha = 1.0;
    train.random_erase_prob = 0.25;
    train.distillation_type = "hard";
    train.teacher_model = "./regnety_160.pdparams";
  }
  return config;
}

Recipe translate(const Config& config, bool training) {
  Recipe recipe;
  recipe.run.output = config.save;
  recipe.run.seed = config.seed;
  recipe.run.epochs = config.train.num_epochs;
  recipe.devices.count = config.ngpus;
  if (config.ngpus > 0) {
    recipe.devices.kind = DeviceKind::kCuda; // as -ngpus
  }
  recipe.model = translate_model(config);
  recipe.data = translate_data(config.data);
  translate_colours(config.train, recipe.data.augment);
  translate_mixing(config.train, recipe.data.augment);
  recipe.optim = translate_optim(config);
  recipe.schedule = translate_schedule(config.train);
  recipe.train.precision =
      config.amp && training ? Precision::kBf16 : Precision::kFp32;
  recipe.train.accumulate = config.train.accum_iter;
  recipe.train.label_smoothing = config.train.smoothing;
  recipe.checkpoint.every = epochs(config.save_freq);
  recipe.checkpoint.keep_last = 1000000;
  recipe.eval.every = epochs(config.validate_freq);
  recipe.log.every = config.report_freq;
  return recipe;
}

} // namespace vitrain::config::paddlevit
