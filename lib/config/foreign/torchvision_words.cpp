#include "config/foreign/words.h"

namespace vitrain::config::foreign {
namespace {

// The arguments of torchvision's references/classification/train.py (0.13 to
// 0.26), in its order.
constexpr const char* kTorchvisionWords = R"(
data_path            | to text      | /datasets01/imagenet_full_size/061417/ | data.train.path data.eval.path |
    train and val below it
model                | to text      | resnet18 | model.name model.drop_path |
    timm's name of it, with torchvision's stochastic depth
device               | to text      | cuda | devices.kind
batch_size b         | copy integer | 32 | data.batch_size | per device | -batch_size %
epochs               | copy integer | 90 | run.epochs
workers j            | to integer   | 16 | data.threads | threads; 16: auto
opt                  | to text      | sgd | optim.name optim.nesterov optim.eps optim.alpha |
    sgd, sgd_nesterov, rmsprop, adamw
lr                   | to number    | 0.1 | optim.lr schedule.scale.rule | not scaled
momentum             | copy number  | 0.9 | optim.momentum
weight_decay wd      | to number    | 1e-4 | optim.weight_decay
norm_weight_decay    | to number    | null | optim.no_decay | 0: norms with their biases, and other biases, too
bias_weight_decay    | to number    | null | optim.no_decay | 0
transformer_embedding_decay | to number    | null | optim.no_decay | 0
label_smoothing      | copy number  | 0.0 | train.label_smoothing
mixup_alpha          | copy number  | 0.0 | data.augment.mixup
cutmix_alpha         | copy number  | 0.0 | data.augment.cutmix
lr_scheduler         | to text      | steplr | schedule.name schedule.unit | steplr, cosineannealinglr, exponentiallr
lr_warmup_epochs     | to integer   | 0 | schedule.warmup | | | lr_warmup_method: linear
lr_warmup_method     | to text      | constant | schedule.warmup | linear | | lr_warmup_epochs: 5
lr_warmup_decay      | to number    | 0.01 | schedule.warmup_lr schedule.warmup | | |
    {lr_warmup_method: linear, lr_warmup_epochs: 5}
lr_step_size         | to integer   | 30 | schedule.step_every schedule.milestones
lr_gamma             | copy number  | 0.1 | schedule.step_factor
lr_min               | copy number  | 0.0 | schedule.min_lr
print_freq           | to integer   | 10 | log.every log.count
output_dir           | to text      | . | run.output
resume               | missing text | '' | | -resume continues a run of vitrain; -pretrained takes weights
start_epoch          | missing integer | 0 | | a checkpoint knows its epoch
cache_dataset        | idle flag    | false | | folders are listed in a second
sync_bn              | to flag      | false | dist.batchnorm
test_only            | missing flag | false | | -eval evaluates
auto_augment         | to text      | null | data.augment.auto_augment data.augment.auto_augment_interpolation |
    ra, ta_wide, augmix, imagenet, cifar10, svhn
ra_magnitude         | to integer   | 9 | data.augment.auto_augment | | | auto_augment: ra
augmix_severity      | to integer   | 3 | data.augment.auto_augment | | | auto_augment: augmix
random_erase         | to number    | 0.0 | data.augment.erasing data.augment.erasing_mode data.augment.erasing_area
    data.augment.erasing_aspect
amp                  | to flag      | false | train.precision | fp16
world_size           | either integer | 1 | | by itself
dist_url             | idle text    | 'env://' | | by itself
model_ema            | to flag      | false | train.ema.decay train.ema.every train.ema.count train.ema.start |
    a copy during the warm-up
model_ema_steps      | to integer   | 32 | train.ema.every train.ema.decay | | | model_ema: true
model_ema_decay      | to number    | 0.99998 | train.ema.decay |
    for world_size workers, as torchvision adjusts it to batch and epochs | | model_ema: true
use_deterministic_algorithms | idle flag    | false | | samples and masks are the same on every run
interpolation        | copy text    | bilinear | data.preprocess.interpolation data.augment.auto_augment_interpolation
val_resize_size      | copy integer | 256 | data.preprocess.resize
val_crop_size        | to integer   | 224 | model.image_size data.augment.image_size
train_crop_size      | to integer   | 224 | data.augment.image_size
clip_grad_norm       | to number    | null | optim.clip_norm
ra_sampler           | to flag      | false | data.sampler.policy
ra_reps              | copy integer | 3 | data.sampler.repeats | | | ra_sampler: true
weights              | missing text | null | | -pretrained FILE takes the file of it
pretrained           | missing flag | false | | -pretrained FILE takes the file
backend              | idle text    | PIL | | images are as Pillow reads them
use_v2               | idle flag    | false | | the same transforms
)";

} // namespace

const Program& torchvision() {
  static const Program program{
      .name = "torchvision",
      .title = "torchvision's references/classification/train.py",
      .words = word_table(kTorchvisionWords),
      .translate = translate_torchvision};
  return program;
}

} // namespace vitrain::config::foreign
