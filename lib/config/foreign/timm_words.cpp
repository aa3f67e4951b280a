#include <algorithm>
#include <array>

#include "config/foreign/timm_newer_words.h"
#include "config/foreign/words.h"

// The arguments of timm's train.py (1.0.27 to 1.0.31 and before), in its order;
// arguments that are new in 1.0.30 and 1.0.31 are in timm_newer_words.h.
namespace vitrain::config::foreign {
namespace {

using enum Takes;

constexpr std::string_view kTimmPaths = "data.train.path data.eval.path";
constexpr std::string_view kTimmSpeed = "makes it faster, not other";
constexpr std::string_view kTimmScales = "images of one size";
constexpr std::string_view kTimmNaFlex = "of NaFlex: images of one size";
constexpr std::string_view kTimmTeacher =
    "train.distill is DeiT's distillation, whose loss is another";
constexpr std::string_view kTimmWandb =
    "log.mlflow, TensorBoard and metrics.jsonl are what there is";
constexpr std::string_view kTimmReaders =
    "of other readers than folders and tar files";

constexpr auto kTimmWords = std::to_array<Word>({
    to("data", kText, "null", kTimmPaths, "as data_dir").by("-data_path %"),
    to("data_dir", kText, "null", kTimmPaths, "with the splits below it")
        .by("-data_path %"),
    to("dataset",
       kText,
       "''",
       "data.train.kind data.eval.kind",
       "folders, torch/cifar10 and the like, wds/; not hfds/ and tfds/"),
    to("train_split", kText, "train", "data.train.path")
        .with("data_dir: FOLDER"),
    to("val_split", kText, "validation", "data.eval.path")
        .with("data_dir: FOLDER"),
    idle("train_num_samples", kInteger, "null", "samples are counted"),
    idle("val_num_samples", kInteger, "null", "samples are counted"),
    idle("dataset_download", kFlag, "false", "nothing is fetched"),
    copy("class_map", kText, "''", "data.train.class_map data.eval.class_map"),
    idle("input_img_mode", kText, "null", "follows model.in_chans"),
    missing("input_key", kText, "null", kTimmReaders),
    missing("target_key", kText, "null", kTimmReaders),
    idle("dataset_trust_remote_code", kFlag, "false", kTimmReaders),
    to("model", kText, "resnet50", "model.name"),
    to("pretrained", kFlag, "false", "model.pretrained", "timm:NAME"),
    to("pretrained_path", kText, "null", "model.pretrained")
        .by("-pretrained %"),
    to("initial_checkpoint", kText, "''", "model.pretrained")
        .by("-pretrained %"),
    by_value(
        "resume",
        kText,
        "''",
        "auto is -resume; of runs of vitrain alone, -pretrained takes weights"),
    idle("no_resume_opt", kFlag, "false", "belongs to resume"),
    to("num_classes",
       kInteger,
       "null",
       "model.num_classes",
       "null: the model's, 1000 for most, whatever the data have"),
    to("gp", kText, "null", "model.global_pool", "token and avg")
        .with("model: vit_tiny_patch16_224"),
    to("img_size", kInteger, "null", "model.image_size").by("-image_size %"),
    copy("in_chans", kInteger, "null", "model.in_chans"),
    to("input_size", kIntegers, "null", "model.image_size model.in_chans"),
    to("crop_pct",
       kNumber,
       "null",
       "data.preprocess.crop_pct data.preprocess.resize",
       "null: the model's"),
    to("mean", kNumbers, "null", "data.preprocess.mean", "null: the model's"),
    to("std", kNumbers, "null", "data.preprocess.std", "null: the model's"),
    to("interpolation",
       kText,
       "''",
       "data.preprocess.interpolation",
       "empty: the model's"),
    copy("batch_size", kInteger, "128", "data.batch_size", "per device")
        .also("b")
        .by("-batch_size %"),
    copy("validation_batch_size", kInteger, "null", "data.eval_batch_size")
        .also("vb")
        .by("-batch_size_eval %"),
    idle("channels_last", kFlag, "false", kTimmSpeed),
    idle("fuser", kText, "''", kTimmSpeed),
    to("grad_accum_steps",
       kInteger,
       "1",
       "train.accumulate data.sampler.last_batch",
       "with an update for the last micro-batches of an epoch")
        .by("-accum_iter % -set data.sampler.last_batch=micro"),
    idle(
        "grad_checkpointing",
        kFlag,
        "false",
        "takes less memory, as train.recompute does"),
    idle("fast_norm", kFlag, "false", kTimmSpeed),
    missing("model_kwargs", kMap, "{}", "numbers of a model: model.*"),
    missing("head_init_scale", kNumber, "null", "heads start as timm's do"),
    missing("head_init_bias", kNumber, "null", "heads start as timm's do"),
    idle("torchcompile_mode", kText, "null", kTimmSpeed),
    idle("torchscript", kFlag, "false", kTimmSpeed),
    idle("torchcompile", kText, "null", kTimmSpeed).alone_as("inductor"),
    to("device", kText, "cuda", "devices.kind"),
    to("amp", kFlag, "false", "train.precision", "as amp_dtype"),
    to("amp_dtype", kText, "float16", "train.precision", "fp16 or bf16")
        .with("amp: true")
        .by("-set train.precision=fp16, or bf16"),
    to("model_dtype", kText, "null", "train.precision", "weights stay fp32"),
    to("no_ddp_bb", kFlag, "false", "dist.batchnorm", "true: local"),
    idle("synchronize_step", kFlag, "false", "there is nothing to wait for"),
    idle("local_rank", kInteger, "0", "by itself"),
    idle("device_modules", kTexts, "null", "of other devices than GPUs"),
    to("opt",
       kText,
       "sgd",
       "optim.name optim.nesterov optim.decoupled optim.cautious "
       "optim.lookahead.every optim.clip_norm optim.alpha",
       "most of timm's, with lookahead_ and the c of cautious ones in front"),
    to("opt_eps", kNumber, "null", "optim.eps").with("opt: adamw"),
    to("opt_betas", kNumbers, "null", "optim.betas").with("opt: adamw"),
    copy("momentum", kNumber, "0.9", "optim.momentum"),
    to("weight_decay",
       kNumber,
       "2e-5",
       "optim.weight_decay optim.no_decay",
       "not of biases, norms and parameters that the model exempts"),
    to("clip_grad", kNumber, "null", "optim.clip_norm"),
    to("clip_mode",
       kText,
       "norm",
       "optim.clip_norm optim.clip_value optim.clip_agc",
       "norm, value, agc")
        .with("clip_grad: 1"),
    to("layer_decay", kNumber, "null", "optim.layer_decay"),
    to("layer_decay_min_scale", kNumber, "0", "optim.layer_decay_min")
        .with("layer_decay: 0.5"),
    missing("layer_decay_no_opt_scale", kNumber, "null", "of layer_decay"),
    missing("opt_kwargs", kMap, "{}", "arguments of an optimizer: optim.*"),
    to("sched",
       kText,
       "cosine",
       "schedule.name schedule.warmup",
       "cosine, step, multistep, poly, wsd, rsqrt, plateau, constant, none; "
       "not "
       "tanh"),
    to("sched_on_updates", kFlag, "false", "schedule.unit"),
    to("lr", kNumber, "null", "optim.lr schedule.scale.rule"),
    to("lr_base",
       kNumber,
       "0.1",
       "optim.lr schedule.scale.rule schedule.scale.base_batch",
       "times the global batch over lr_base_size"),
    to("lr_base_size",
       kInteger,
       "256",
       "schedule.scale.base_batch schedule.scale.rule"),
    to("lr_base_scale",
       kText,
       "''",
       "schedule.scale.rule",
       "empty: sqrt for optimizers with ada or lamb in the name"),
    missing("lr_noise", kNumbers, "null", "rates are a function of the step"),
    idle("lr_noise_pct", kNumber, "0.67", "belongs to lr_noise"),
    idle("lr_noise_std", kNumber, "1.0", "belongs to lr_noise"),
    to("lr_cycle_mul", kNumber, "1.0", "schedule.cycle_mul run.epochs")
        .with("lr_cycle_limit: 2"),
    to("lr_cycle_decay", kNumber, "0.5", "schedule.cycle_decay")
        .with("lr_cycle_limit: 2"),
    to("lr_cycle_limit",
       kInteger,
       "1",
       "schedule.cycles schedule.cycle_decay run.epochs",
       "each as long as epochs"),
    copy("lr_k_decay", kNumber, "1.0", "schedule.k_decay"),
    copy("warmup_lr", kNumber, "1e-5", "schedule.warmup_lr"),
    copy("min_lr", kNumber, "0", "schedule.min_lr"),
    to("epochs", kInteger, "300", "run.epochs"),
    missing("epoch_repeats", kNumber, "0.", "an epoch sees each sample once"),
    missing("start_epoch", kInteger, "null", "a checkpoint knows its epoch"),
    to("decay_milestones",
       kIntegers,
       "[90, 180, 270]",
       "schedule.milestones schedule.name",
       "timm's drops are one epoch earlier than it says")
        .with("sched: multistep"),
    to("decay_epochs", kNumber, "90", "schedule.step_every"),
    to("warmup_epochs", kInteger, "5", "schedule.warmup"),
    to("warmup_prefix",
       kFlag,
       "false",
       "schedule.warmup_prefix run.epochs",
       "the warm-up is part of run.epochs"),
    to("cooldown_epochs", kInteger, "0", "schedule.cooldown run.epochs"),
    to("patience_epochs", kInteger, "10", "schedule.patience")
        .with("sched: plateau"),
    to("decay_rate",
       kNumber,
       "0.1",
       "schedule.step_factor",
       "of poly schedule.power")
        .also("dr"),
    to("no_aug",
       kFlag,
       "false",
       "data.augment.crop data.augment.flip",
       "the whole image, squashed, and nothing else of data.augment"),
    to("train_crop_mode", kText, "null", "data.augment.crop"),
    to("scale", kNumbers, "[0.08, 1.0]", "data.augment.scale"),
    to("ratio", kNumbers, "[0.75, 1.3333333333333333]", "data.augment.ratio"),
    copy("hflip", kNumber, "0.5", "data.augment.flip"),
    copy("vflip", kNumber, "0.", "data.augment.vertical_flip"),
    to("color_jitter",
       kNumber,
       "0.4",
       "data.augment.color_jitter",
       "not with aa other than 3-Augment"),
    to("color_jitter_prob", kNumber, "null", "data.augment.color_jitter_prob"),
    to("grayscale_prob", kNumber, "null", "data.augment.grayscale"),
    to("gaussian_blur_prob",
       kNumber,
       "null",
       "data.augment.gaussian_blur",
       "Pillow's blur"),
    to("aa", kText, "null", "data.augment.auto_augment"),
    to("aug_repeats", kNumber, "0", "data.sampler.policy data.sampler.repeats"),
    to("aug_splits", kInteger, "0", "train.jsd_splits", "with jsd_loss")
        .with("jsd_loss: true"),
    to("jsd_loss", kFlag, "false", "train.loss"),
    to("bce_loss",
       kFlag,
       "false",
       "train.loss",
       "with mixup, cutmix or smoothing, as in timm before 1.0.30"),
    to("bce_sum", kFlag, "false", "train.bce_sum", "with bce_loss")
        .with("bce_loss: true"),
    to("bce_target_thresh",
       kNumber,
       "null",
       "train.bce_threshold",
       "with bce_loss")
        .with("bce_loss: true"),
    to("bce_pos_weight",
       kNumber,
       "null",
       "train.bce_pos_weight",
       "with bce_loss")
        .with("bce_loss: true"),
    to("reprob", kNumber, "0.", "data.augment.erasing"),
    copy("remode", kText, "pixel", "data.augment.erasing_mode"),
    copy("recount", kInteger, "1", "data.augment.erasing_count"),
    to("resplit", kFlag, "false", "data.augment.erasing_clean", "with jsd_loss")
        .with("{jsd_loss: true, aug_splits: 3, reprob: 0.25}"),
    copy("mixup", kNumber, "0.0", "data.augment.mixup"),
    copy("cutmix", kNumber, "0.0", "data.augment.cutmix"),
    to("cutmix_minmax", kNumbers, "null", "data.augment.cutmix_minmax"),
    copy("mixup_prob", kNumber, "1.0", "data.augment.mix_prob"),
    copy("mixup_switch_prob", kNumber, "0.5", "data.augment.mix_switch_prob"),
    copy("mixup_mode", kText, "batch", "data.augment.mix_mode"),
    to("mixup_off_epoch",
       kInteger,
       "0",
       "data.augment.mix_off_epoch",
       "0: null; with mixup or cutmix")
        .with("mixup: 0.8"),
    copy("smoothing", kNumber, "0.1", "train.label_smoothing"),
    copy("train_interpolation", kText, "random", "data.augment.interpolation"),
    missing(
        "drop",
        kNumber,
        "0.0",
        "in front of the classifier alone; model.dropout is another"),
    to("drop_connect", kNumber, "null", "model.drop_path", "as drop_path"),
    to("drop_path", kNumber, "null", "model.drop_path"),
    missing("drop_block", kNumber, "null", "no areas are dropped"),
    missing("bn_momentum", kNumber, "null", "as the model has it"),
    missing("bn_eps", kNumber, "null", "as the model has it"),
    to("sync_bn", kFlag, "false", "dist.batchnorm"),
    to("dist_bn",
       kText,
       "reduce",
       "dist.batchnorm",
       "reduce: broadcast_average; with no_ddp_bb local"),
    missing(
        "split_bn",
        kFlag,
        "false",
        "splits share their BatchNorm statistics"),
    to("model_ema", kFlag, "false", "train.ema.decay"),
    to("model_ema_force_cpu",
       kFlag,
       "false",
       "checkpoint.weights",
       "the best checkpoint is chosen by the raw weights")
        .with("model_ema: true"),
    to("model_ema_decay", kNumber, "0.9998", "train.ema.decay")
        .with("model_ema: true"),
    to("model_ema_warmup", kFlag, "false", "train.ema.warm_up")
        .with("model_ema: true"),
    copy("seed", kInteger, "42", "run.seed"),
    idle("worker_seeding", kText, "all", "samples have seeds of their own"),
    to("log_interval", kInteger, "50", "log.every log.count"),
    to("val_interval", kInteger, "1", "eval.every checkpoint.every"),
    idle("recovery_interval", kInteger, "0", "checkpoint.every says when"),
    to("checkpoint_hist",
       kInteger,
       "10",
       "checkpoint.keep_best checkpoint.keep_last",
       "the best ones, and the last"),
    to("workers", kInteger, "4", "data.threads", "threads; 4: auto").also("j"),
    idle("save_images", kFlag, "false", "samples.png, the first batch"),
    idle("pin_mem", kFlag, "false", kTimmSpeed),
    idle("no_prefetcher", kFlag, "false", "images are mixed after erasing"),
    copy("output", kText, "''", "run.output"),
    to("experiment", kText, "''", "run.name"),
    copy("eval_metric", kText, "top1", "checkpoint.metric"),
    missing("tta", kInteger, "0", "an image is evaluated once"),
    idle("use_multi_epochs_loader", kFlag, "false", kTimmSpeed),
    idle("log_wandb", kFlag, "false", kTimmWandb),
    idle("wandb_project", kText, "null", kTimmWandb),
    idle("wandb_tags", kTexts, "[]", kTimmWandb),
    idle("wandb_resume_id", kText, "''", kTimmWandb),
    missing("train_img_sizes", kIntegers, "null", kTimmScales),
    missing("train_batch_sizes", kIntegers, "null", kTimmScales),
    missing("train_size_probs", kNumbers, "null", kTimmScales),
    idle("train_size_schedule", kText, "constant", kTimmScales),
    idle("train_size_schedule_spread", kNumber, "0.65", kTimmScales),
    idle("train_size_random_mix", kNumber, "0.1", kTimmScales),
    missing("train_batches_per_epoch", kInteger, "null", kTimmScales)
        .also("train_steps_per_epoch"),
    idle("variable_batch_loss_scale", kText, "none", kTimmScales),
    missing("naflex_loader", kFlag, "false", kTimmNaFlex),
    idle(
        "naflex_train_seq_lens",
        kIntegers,
        "[128, 256, 576, 784, 1024]",
        kTimmNaFlex),
    idle("naflex_max_seq_len", kInteger, "576", kTimmNaFlex),
    idle("naflex_patch_sizes", kIntegers, "null", kTimmNaFlex),
    idle("naflex_patch_size_probs", kNumbers, "null", kTimmNaFlex),
    idle("naflex_loss_scale", kText, "linear", kTimmNaFlex),
    idle("naflex_patchify_channels_first", kFlag, "false", kTimmNaFlex),
    missing("kd_model_name", kText, "null", kTimmTeacher),
    idle("kd_distill_type", kText, "logit", kTimmTeacher),
    idle("kd_loss_type", kText, "kl", kTimmTeacher),
    idle("distill_loss_weight", kNumber, "null", kTimmTeacher),
    idle("task_loss_weight", kNumber, "null", kTimmTeacher),
    idle("kd_temperature", kNumber, "4.0", kTimmTeacher),
    idle("kd_student_feature_dim", kInteger, "null", kTimmTeacher),
    idle("kd_teacher_feature_dim", kInteger, "null", kTimmTeacher),
    idle("kd_token_distill_type", kText, "soft", kTimmTeacher),
    // Words that only versions before 1.0 have.
    to("native_amp", kFlag, "false", "train.precision", "as amp")
        .of_earlier_versions(),
    to("apex_amp", kFlag, "false", "train.precision", "as amp")
        .of_earlier_versions(),
    idle("amp_impl", kText, "native", "as amp").of_earlier_versions(),
    missing("eval_checkpoint", kText, "''", "-eval evaluates")
        .of_earlier_versions(),
    // An option that args.yaml does not contain.
    by_value("config", kText, "''", "-cfg FILE").also("c"),
});

constexpr auto kAllTimmWords = [] {
  std::array<Word, kTimmWords.size() + kTimmNewerWords.size()> all{};
  const auto newer = std::ranges::copy(kTimmWords, all.begin()).out;
  std::ranges::copy(kTimmNewerWords, newer);
  return all;
}();

} // namespace

const Program& timm() {
  static constexpr Program kProgram{
      .name = "timm",
      .title = "timm's train.py",
      .words = kAllTimmWords,
      .translate = translate_timm};
  return kProgram;
}

} // namespace vitrain::config::foreign
