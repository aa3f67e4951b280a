#include <array>

#include "config/foreign/words.h"

// The arguments of torchvision's references/classification/train.py (0.13 to
// 0.26), in its order.
namespace vitrain::config::foreign {
namespace {

using enum Takes;

constexpr std::string_view kTorchvisionEma =
    "for world_size workers, as torchvision adjusts it to batch and epochs";
constexpr std::string_view kTorchvisionWarmup =
    "schedule.warmup_lr schedule.warmup";

constexpr auto kTorchvisionWords = std::to_array<Word>({
    to("data_path",
       kText,
       "/datasets01/imagenet_full_size/061417/",
       "data.train.path data.eval.path",
       "train and val below it"),
    to("model",
       kText,
       "resnet18",
       "model.name model.drop_path",
       "timm's name of it, with torchvision's stochastic depth"),
    to("device", kText, "cuda", "devices.kind"),
    copy("batch_size", kInteger, "32", "data.batch_size", "per device")
        .also("b")
        .by("-batch_size %"),
    copy("epochs", kInteger, "90", "run.epochs"),
    to("workers", kInteger, "16", "data.threads", "threads; 16: auto")
        .also("j"),
    to("opt",
       kText,
       "sgd",
       "optim.name optim.nesterov optim.eps optim.alpha",
       "sgd, sgd_nesterov, rmsprop, adamw"),
    to("lr", kNumber, "0.1", "optim.lr schedule.scale.rule", "not scaled"),
    copy("momentum", kNumber, "0.9", "optim.momentum"),
    to("weight_decay", kNumber, "1e-4", "optim.weight_decay").also("wd"),
    to("norm_weight_decay",
       kNumber,
       "null",
       "optim.no_decay",
       "0: norms with their biases, and other biases, too"),
    to("bias_weight_decay", kNumber, "null", "optim.no_decay", "0"),
    to("transformer_embedding_decay", kNumber, "null", "optim.no_decay", "0"),
    copy("label_smoothing", kNumber, "0.0", "train.label_smoothing"),
    copy("mixup_alpha", kNumber, "0.0", "data.augment.mixup"),
    copy("cutmix_alpha", kNumber, "0.0", "data.augment.cutmix"),
    to("lr_scheduler",
       kText,
       "steplr",
       "schedule.name schedule.unit",
       "steplr, cosineannealinglr, exponentiallr"),
    to("lr_warmup_epochs", kInteger, "0", "schedule.warmup")
        .with("lr_warmup_method: linear"),
    to("lr_warmup_method", kText, "constant", "schedule.warmup", "linear")
        .with("lr_warmup_epochs: 5"),
    to("lr_warmup_decay", kNumber, "0.01", kTorchvisionWarmup)
        .with("{lr_warmup_method: linear, lr_warmup_epochs: 5}"),
    to("lr_step_size",
       kInteger,
       "30",
       "schedule.step_every schedule.milestones"),
    copy("lr_gamma", kNumber, "0.1", "schedule.step_factor"),
    copy("lr_min", kNumber, "0.0", "schedule.min_lr"),
    to("print_freq", kInteger, "10", "log.every log.count"),
    to("output_dir", kText, ".", "run.output"),
    missing(
        "resume",
        kText,
        "''",
        "-resume continues a run of vitrain; -pretrained takes weights"),
    missing("start_epoch", kInteger, "0", "a checkpoint knows its epoch"),
    idle("cache_dataset", kFlag, "false", "folders are listed in a second"),
    to("sync_bn", kFlag, "false", "dist.batchnorm"),
    missing("test_only", kFlag, "false", "-eval evaluates"),
    to("auto_augment",
       kText,
       "null",
       "data.augment.auto_augment data.augment.auto_augment_interpolation",
       "ra, ta_wide, augmix, imagenet, cifar10, svhn"),
    to("ra_magnitude", kInteger, "9", "data.augment.auto_augment")
        .with("auto_augment: ra"),
    to("augmix_severity", kInteger, "3", "data.augment.auto_augment")
        .with("auto_augment: augmix"),
    to("random_erase",
       kNumber,
       "0.0",
       "data.augment.erasing data.augment.erasing_mode "
       "data.augment.erasing_area data.augment.erasing_aspect"),
    to("amp", kFlag, "false", "train.precision", "fp16"),
    by_value("world_size", kInteger, "1", "by itself"),
    idle("dist_url", kText, "'env://'", "by itself"),
    to("model_ema",
       kFlag,
       "false",
       "train.ema.decay train.ema.every train.ema.count train.ema.start",
       "a copy during the warm-up"),
    to("model_ema_steps", kInteger, "32", "train.ema.every train.ema.decay")
        .with("model_ema: true"),
    to("model_ema_decay",
       kNumber,
       "0.99998",
       "train.ema.decay",
       kTorchvisionEma)
        .with("model_ema: true"),
    idle(
        "use_deterministic_algorithms",
        kFlag,
        "false",
        "samples and masks are the same on every run"),
    copy(
        "interpolation",
        kText,
        "bilinear",
        "data.preprocess.interpolation "
        "data.augment.auto_augment_interpolation"),
    copy("val_resize_size", kInteger, "256", "data.preprocess.resize"),
    to("val_crop_size",
       kInteger,
       "224",
       "model.image_size data.augment.image_size"),
    to("train_crop_size", kInteger, "224", "data.augment.image_size"),
    to("clip_grad_norm", kNumber, "null", "optim.clip_norm"),
    to("ra_sampler", kFlag, "false", "data.sampler.policy"),
    copy("ra_reps", kInteger, "3", "data.sampler.repeats")
        .with("ra_sampler: true"),
    missing("weights", kText, "null", "-pretrained FILE takes the file of it"),
    missing("pretrained", kFlag, "false", "-pretrained FILE takes the file"),
    idle("backend", kText, "PIL", "images are as Pillow reads them"),
    idle("use_v2", kFlag, "false", "the same transforms"),
});

} // namespace

const Program& torchvision() {
  static constexpr Program kProgram{
      .name = "torchvision",
      .title = "torchvision's references/classification/train.py",
      .words = kTorchvisionWords,
      .translate = translate_torchvision};
  return kProgram;
}

} // namespace vitrain::config::foreign
