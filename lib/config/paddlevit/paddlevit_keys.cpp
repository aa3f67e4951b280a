#include "config/paddlevit/paddlevit_keys.h"

#include <array>

namespace vitrain::config::paddlevit {
namespace {

// Keys that together select a size with a name, or custom numbers.
constexpr std::string_view kSize =
    "model.name model.embed_dim model.depth model.num_heads";

constexpr bool kCopied = true;

constexpr auto kMeanings = std::to_array<Meaning>({
    {"DATA.BATCH_SIZE", "data.batch_size", "per device", kCopied},
    {"DATA.BATCH_SIZE_EVAL",
     "data.eval_batch_size",
     "None: as BATCH_SIZE (PaddleViT's own None ends in an error)",
     kCopied},
    {"DATA.DATA_PATH",
     "data.train.path data.eval.path",
     "train_list.txt and val_list.txt in it"},
    {"DATA.DATASET", "data.train.kind data.eval.kind", "list"},
    {"DATA.IMAGE_SIZE", "model.image_size model.name", ""},
    {"DATA.IMAGE_CHANNELS", "model.in_chans", ""},
    {"DATA.SECOND_IMAGE_SIZE", "", "of BEiT's pretraining"},
    {"DATA.FMAP_SIZE", "", "follows from IMAGE_SIZE"},
    {"DATA.CROP_PCT",
     "data.preprocess.crop_pct data.preprocess.resize",
     "above 1: a smaller image, with black around it"},
    {"DATA.NUM_WORKERS",
     "data.threads",
     "threads instead of processes; not set: as many as a worker has cores"},
    {"DATA.IMAGENET_MEAN", "data.preprocess.mean", "", kCopied},
    {"DATA.IMAGENET_STD", "data.preprocess.std", "", kCopied},
    {"MODEL.TYPE",
     "optim.no_decay",
     "the family of models; the keys that only it has are left out here"},
    {"MODEL.NAME", "", "a label; the numbers below MODEL make the model"},
    {"MODEL.RESUME", "", "runs are continued with -resume"},
    {"MODEL.PRETRAINED", "model.pretrained", "", kCopied},
    {"MODEL.NUM_CLASSES", "model.num_classes", "", kCopied},
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
    {"TRAIN.NUM_EPOCHS", "run.epochs", "", kCopied},
    {"TRAIN.WARMUP_EPOCHS", "schedule.warmup", ""},
    {"TRAIN.BASE_LR", "optim.lr", "", kCopied},
    {"TRAIN.WARMUP_START_LR", "schedule.warmup_lr", "", kCopied},
    {"TRAIN.END_LR", "schedule.min_lr", "", kCopied},
    {"TRAIN.WEIGHT_DECAY", "optim.weight_decay", "", kCopied},
    {"TRAIN.GRAD_CLIP", "optim.clip_norm", "0: not at all"},
    {"TRAIN.ACCUM_ITER",
     "train.accumulate",
     "micro-batches that an epoch leaves over are dropped and counted "
     "(PaddleViT takes a step with a smaller gradient)",
     kCopied},
    {"TRAIN.LINEAR_SCALED_LR",
     "schedule.scale.rule schedule.scale.base_batch",
     "of lr, warmup_lr and min_lr"},
    {"TRAIN.MODEL_EMA",
     "train.ema.decay",
     "after each optimizer step (PaddleViT: each micro-batch)"},
    {"TRAIN.MODEL_EMA_DECAY", "train.ema.decay", ""},
    {"TRAIN.MODEL_EMA_FORCE_CPU", "", "the average lies where the weights are"},
    {"TRAIN.SMOOTHING",
     "train.label_smoothing",
     "applied as it is; PaddleViT takes 0.1 whatever it says",
     kCopied},
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
    {"TRAIN.MIXUP_ALPHA", "data.augment.mixup", "", kCopied},
    {"TRAIN.MIXUP_PROB", "data.augment.mix_prob", "of CutMix, too", kCopied},
    {"TRAIN.MIXUP_SWITCH_PROB", "data.augment.mix_switch_prob", "", kCopied},
    {"TRAIN.MIXUP_MODE",
     "data.augment.mix_mode",
     "pair and elem as timm has them (PaddleViT has batch only)",
     kCopied},
    {"TRAIN.CUTMIX_ALPHA",
     "data.augment.cutmix",
     "also without mixup (PaddleViT then mixes up with its alpha)",
     kCopied},
    {"TRAIN.CUTMIX_MINMAX", "data.augment.cutmix_minmax", "", kCopied},
    {"TRAIN.RANDOM_ERASE_PROB", "data.augment.erasing", ""},
    {"TRAIN.RANDOM_ERASE_MODE", "data.augment.erasing_mode", "", kCopied},
    {"TRAIN.RANDOM_ERASE_COUNT",
     "data.augment.erasing_count",
     "0: nothing is erased"},
    {"TRAIN.RANDOM_ERASE_SPLIT", "", "all of a batch may be erased"},
    {"TRAIN.DISTILLATION_TYPE",
     "",
     "DeiT, PiT, LeViT: except for none, the network has a second head "
     "(model.name); train.distill sets a teacher"},
    {"TRAIN.DISTILLATION_ALPHA", "", "belongs to DISTILLATION_TYPE"},
    {"TRAIN.DISTILLATION_TAU", "", "belongs to DISTILLATION_TYPE"},
    {"TRAIN.TEACHER_MODEL", "", "belongs to DISTILLATION_TYPE"},
    {"TRAIN.LAYER_DECAY", "optim.layer_decay", ""},
    {"TRAIN.NORMALIZE_TARGET", "", "model.norm_pix_loss of MAE's pretraining"},
    {"TRAIN.MULTI_SCALE_SAMPLER_DDP", "", "images of one size"},
    {"TRAIN.LR_SCHEDULER.NAME", "", "always warmupcosine"},
    {"TRAIN.LR_SCHEDULER.MILESTONES", "", "belongs to step"},
    {"TRAIN.LR_SCHEDULER.DECAY_EPOCHS", "", "belongs to step"},
    {"TRAIN.LR_SCHEDULER.DECAY_RATE", "", "belongs to step"},
    {"TRAIN.OPTIMIZER.NAME", "", "AdamW or AdamWDL; always AdamW here"},
    {"TRAIN.OPTIMIZER.EPS", "optim.eps", "", kCopied},
    {"TRAIN.OPTIMIZER.BETAS", "optim.betas", "", kCopied},
    {"TRAIN.OPTIMIZER.MOMENTUM", "", "belongs to SGD"},
    {"SAVE", "run.output", "", kCopied},
    {"SAVE_FREQ", "checkpoint.every", "in epochs; no checkpoint is removed"},
    {"REPORT_FREQ", "log.every", "in optimizer steps", kCopied},
    {"VALIDATE_FREQ", "eval.every", "in epochs"},
    {"SEED", "run.seed", "PaddleViT's order of samples has no seed", kCopied},
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

using enum Otherwise;

constexpr auto kLimits = std::to_array<Limit>({
    {"MODEL.RESUME",
     kNotTrained,
     [](const Config& c) { return !c.model.resume; },
     "a run is continued with -resume PATH on the command line: set it to "
     "None"},
    {"MODEL.DROPOUT",
     kNotTrained,
     [](const Config& c) {
       return c.model.vit_numbers || c.model.dropout == 0.0;
     },
     "only ViT and DeiT have dropout in this version",
     "0.0"},
    {"MODEL.ATTENTION_DROPOUT",
     kNotTrained,
     [](const Config& c) {
       return c.model.vit_numbers || c.model.attention_dropout == 0.0;
     },
     "only ViT and DeiT have dropout in this version",
     "0.0"},
    {"MODEL.ATTN_HEAD_SIZE",
     kRefused,
     [](const Config& c) {
       const auto& size = c.model.attn_head_size;
       return !size || *size * c.model.num_heads == c.model.embed_dim;
     },
     "must be None or EMBED_DIM / NUM_HEADS: other sizes of attention heads "
     "are not available in this version"},
    {"MODEL.QKV_BIAS",
     kRefused,
     [](const Config& c) { return c.model.qkv_bias; },
     "must be True: attention without a bias is not available in this "
     "version"},
    {"TRAIN.LAST_EPOCH",
     kNotTrained,
     [](const Config& c) { return c.train.last_epoch == 0; },
     "must be 0: a run that is continued with -resume PATH goes on at the "
     "epoch of its checkpoint"},
    {"TRAIN.RANDOM_ERASE_SPLIT",
     kNotTrained,
     [](const Config& c) {
       return !c.train.random_erase_split || c.train.random_erase_prob == 0.0;
     },
     "erasing in a part of each batch only is not available in this version",
     "False"},
    {"TRAIN.DISTILLATION_TYPE",
     kTrainedWithout,
     [](const Config& c) { return c.train.distillation_type == "none"; },
     "a teacher is told by train.distill: trained without, the mean of both "
     "heads where the network has two"},
    {"TRAIN.MULTI_SCALE_SAMPLER_DDP",
     kNotTrained,
     [](const Config& c) { return !c.train.multi_scale_sampler_ddp; },
     "batches of images of several sizes are not available in this version",
     "False"},
    {"TRAIN.LR_SCHEDULER.NAME",
     kNotTrained,
     [](const Config& c) {
       return c.train.lr_scheduler.name == "warmupcosine";
     },
     "other schedules than warmupcosine are not available for PaddleViT's "
     "files: say schedule.name in a recipe (`vitrain config show` prints it)"},
    {"TRAIN.OPTIMIZER.NAME",
     kNotTrained,
     [](const Config& c) {
       const std::string& name = c.train.optimizer.name;
       return name == "AdamW" || name == "AdamWDL";
     },
     "must be AdamW: most of PaddleViT's families train with AdamW whatever "
     "stands here"},
    {"EVAL",
     kNotTrained,
     [](const Config& c) { return !c.eval; },
     "evaluation is asked for with -eval on the command line: set it to "
     "False"},
});

} // namespace

Schema schema_of(Config& config) {
  SchemaVisitor visitor;
  config.visit(visitor);
  return visitor.take();
}

std::span<const Meaning> meanings() {
  return kMeanings;
}

std::span<const Limit> limits() {
  return kLimits;
}

std::string_view idle_beside_others(
    const Config& config,
    std::string_view key) {
  const Train& train = config.train;
  if (key.starts_with("TRAIN.RAND_AUGMENT_") && !train.rand_augment) {
    return "belongs to RAND_AUGMENT, which is False";
  }
  if (key == "TRAIN.AUTO_AUGMENT" && train.auto_augment && train.rand_augment) {
    return "RAND_AUGMENT is True too, and wins";
  }
  if (key == "TRAIN.COLOR_JITTER" && train.color_jitter > 0.0 &&
      (train.auto_augment || train.rand_augment)) {
    return "AUTO_AUGMENT or RAND_AUGMENT takes its place";
  }
  if (key == "TRAIN.MODEL_EMA_DECAY" && !train.model_ema) {
    return "belongs to MODEL_EMA, which is False";
  }
  return "";
}

} // namespace vitrain::config::paddlevit
