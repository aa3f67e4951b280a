#include "config/foreign/words.h"

namespace vitrain::config::foreign {
namespace {

// The arguments of timm's train.py (1.0.27 to 1.0.31 and before), in its order;
// from `task` on those that only 1.0.30 and later have. args.yaml does not
// contain `config`.
constexpr const char* kTimmWords = R"(
data                 | to text      | null | data.train.path data.eval.path | as data_dir | -data_path %
data_dir             | to text      | null | data.train.path data.eval.path | with the splits below it | -data_path %
dataset              | to text      | '' | data.train.kind data.eval.kind |
    folders, torch/cifar10 and the like, wds/; not hfds/ and tfds/
train_split          | to text      | train | data.train.path | | | data_dir: FOLDER
val_split            | to text      | validation | data.eval.path | | | data_dir: FOLDER
train_num_samples    | idle integer | null | | samples are counted
val_num_samples      | idle integer | null | | "
dataset_download     | idle flag    | false | | nothing is fetched
class_map            | copy text    | '' | data.train.class_map data.eval.class_map
input_img_mode       | idle text    | null | | follows model.in_chans
input_key            | missing text | null | | of other readers than folders and tar files
target_key           | missing text | null | | "
dataset_trust_remote_code | idle flag    | false | | "
model                | to text      | resnet50 | model.name
pretrained           | to flag      | false | model.pretrained | timm:NAME
pretrained_path      | to text      | null | model.pretrained | | -pretrained %
initial_checkpoint   | to text      | '' | model.pretrained | | -pretrained %
resume               | either text  | '' | | auto is -resume; of runs of vitrain alone, -pretrained takes weights
no_resume_opt        | idle flag    | false | | belongs to resume
num_classes          | to integer   | null | model.num_classes |
    null: the model's, 1000 for most, whatever the data have
gp                   | to text      | null | model.global_pool | token and avg | | model: vit_tiny_patch16_224
img_size             | to integer   | null | model.image_size | | -image_size %
in_chans             | copy integer | null | model.in_chans
input_size           | to integers  | null | model.image_size model.in_chans
crop_pct             | to number    | null | data.preprocess.crop_pct data.preprocess.resize | null: the model's
mean                 | to numbers   | null | data.preprocess.mean | "
std                  | to numbers   | null | data.preprocess.std | "
interpolation        | to text      | '' | data.preprocess.interpolation | empty: the model's
batch_size b         | copy integer | 128 | data.batch_size | per device | -batch_size %
validation_batch_size vb | copy integer | null | data.eval_batch_size | | -batch_size_eval %
channels_last        | idle flag    | false | | makes it faster, not other
fuser                | idle text    | '' | | "
grad_accum_steps     | to integer   | 1 | train.accumulate data.sampler.last_batch |
    with an update for the last micro-batches of an epoch | -accum_iter % -set data.sampler.last_batch=micro
grad_checkpointing   | idle flag    | false | | takes less memory, as train.recompute does
fast_norm            | idle flag    | false | | makes it faster, not other
model_kwargs         | missing map  | {} | | numbers of a model: model.*
head_init_scale      | missing number | null | | heads start as timm's do
head_init_bias       | missing number | null | | "
torchcompile_mode    | idle text    | null | | makes it faster, not other
torchscript          | idle flag    | false | | "
torchcompile         | idle text alone=inductor | null | | "
device               | to text      | cuda | devices.kind
amp                  | to flag      | false | train.precision | as amp_dtype
amp_dtype            | to text      | float16 | train.precision | fp16 or bf16 | -set train.precision=fp16, or bf16 |
    amp: true
model_dtype          | to text      | null | train.precision | weights stay fp32
no_ddp_bb            | to flag      | false | dist.batchnorm | true: local
synchronize_step     | idle flag    | false | | there is nothing to wait for
local_rank           | idle integer | 0 | | by itself
device_modules       | idle texts   | null | | of other devices than GPUs
opt                  | to text      | sgd | optim.name optim.nesterov optim.decoupled optim.cautious
    optim.lookahead.every optim.clip_norm optim.alpha | most of timm's, with lookahead_ and the c of cautious ones in
    front
opt_eps              | to number    | null | optim.eps | | | opt: adamw
opt_betas            | to numbers   | null | optim.betas | | | opt: adamw
momentum             | copy number  | 0.9 | optim.momentum
weight_decay         | to number    | 2e-5 | optim.weight_decay optim.no_decay |
    not of biases, norms and parameters that the model exempts
clip_grad            | to number    | null | optim.clip_norm
clip_mode            | to text      | norm | optim.clip_norm optim.clip_value optim.clip_agc | norm, value, agc | |
    clip_grad: 1
layer_decay          | to number    | null | optim.layer_decay
layer_decay_min_scale | to number    | 0 | optim.layer_decay_min | | | layer_decay: 0.5
layer_decay_no_opt_scale | missing number | null | | of layer_decay
opt_kwargs           | missing map  | {} | | arguments of an optimizer: optim.*
sched                | to text      | cosine | schedule.name schedule.warmup |
    cosine, step, multistep, poly, wsd, rsqrt, plateau, constant, none; not tanh
sched_on_updates     | to flag      | false | schedule.unit
lr                   | to number    | null | optim.lr schedule.scale.rule
lr_base              | to number    | 0.1 | optim.lr schedule.scale.rule schedule.scale.base_batch |
    times the global batch over lr_base_size
lr_base_size         | to integer   | 256 | schedule.scale.base_batch schedule.scale.rule
lr_base_scale        | to text      | '' | schedule.scale.rule |
    empty: sqrt for optimizers with ada or lamb in the name
lr_noise             | missing numbers | null | | rates are a function of the step
lr_noise_pct         | idle number  | 0.67 | | belongs to lr_noise
lr_noise_std         | idle number  | 1.0 | | "
lr_cycle_mul         | to number    | 1.0 | schedule.cycle_mul run.epochs | | | lr_cycle_limit: 2
lr_cycle_decay       | to number    | 0.5 | schedule.cycle_decay | | | lr_cycle_limit: 2
lr_cycle_limit       | to integer   | 1 | schedule.cycles schedule.cycle_decay run.epochs | each as long as epochs
lr_k_decay           | copy number  | 1.0 | schedule.k_decay
warmup_lr            | copy number  | 1e-5 | schedule.warmup_lr
min_lr               | copy number  | 0 | schedule.min_lr
epochs               | to integer   | 300 | run.epochs
epoch_repeats        | missing number | 0. | | an epoch sees each sample once
start_epoch          | missing integer | null | | a checkpoint knows its epoch
decay_milestones     | to integers  | [90, 180, 270] | schedule.milestones schedule.name |
    timm's drops are one epoch earlier than it says | | sched: multistep
decay_epochs         | to number    | 90 | schedule.step_every
warmup_epochs        | to integer   | 5 | schedule.warmup
warmup_prefix        | to flag      | false | schedule.warmup_prefix run.epochs | the warm-up is part of run.epochs
cooldown_epochs      | to integer   | 0 | schedule.cooldown run.epochs
patience_epochs      | to integer   | 10 | schedule.patience | | | sched: plateau
decay_rate dr        | to number    | 0.1 | schedule.step_factor | of poly schedule.power
no_aug               | to flag      | false | data.augment.crop data.augment.flip |
    the whole image, squashed, and nothing else of data.augment
train_crop_mode      | to text      | null | data.augment.crop
scale                | to numbers   | [0.08, 1.0] | data.augment.scale
ratio                | to numbers   | [0.75, 1.3333333333333333] | data.augment.ratio
hflip                | copy number  | 0.5 | data.augment.flip
vflip                | copy number  | 0. | data.augment.vertical_flip
color_jitter         | to number    | 0.4 | data.augment.color_jitter | not with aa other than 3-Augment
color_jitter_prob    | to number    | null | data.augment.color_jitter_prob
grayscale_prob       | to number    | null | data.augment.grayscale
gaussian_blur_prob   | to number    | null | data.augment.gaussian_blur | Pillow's blur
aa                   | to text      | null | data.augment.auto_augment
aug_repeats          | to number    | 0 | data.sampler.policy data.sampler.repeats
aug_splits           | to integer   | 0 | train.jsd_splits | with jsd_loss | | jsd_loss: true
jsd_loss             | to flag      | false | train.loss
bce_loss             | to flag      | false | train.loss | with mixup, cutmix or smoothing, as in timm before 1.0.30
bce_sum              | to flag      | false | train.bce_sum | with bce_loss | | bce_loss: true
bce_target_thresh    | to number    | null | train.bce_threshold | " | | bce_loss: true
bce_pos_weight       | to number    | null | train.bce_pos_weight | " | | bce_loss: true
reprob               | to number    | 0. | data.augment.erasing
remode               | copy text    | pixel | data.augment.erasing_mode
recount              | copy integer | 1 | data.augment.erasing_count
resplit              | to flag      | false | data.augment.erasing_clean | with jsd_loss | |
    {jsd_loss: true, aug_splits: 3, reprob: 0.25}
mixup                | copy number  | 0.0 | data.augment.mixup
cutmix               | copy number  | 0.0 | data.augment.cutmix
cutmix_minmax        | to numbers   | null | data.augment.cutmix_minmax
mixup_prob           | copy number  | 1.0 | data.augment.mix_prob
mixup_switch_prob    | copy number  | 0.5 | data.augment.mix_switch_prob
mixup_mode           | copy text    | batch | data.augment.mix_mode
mixup_off_epoch      | to integer   | 0 | data.augment.mix_off_epoch | 0: null; with mixup or cutmix | | mixup: 0.8
smoothing            | copy number  | 0.1 | train.label_smoothing
train_interpolation  | copy text    | random | data.augment.interpolation
drop                 | copy number  | 0.0 | model.head_dropout
drop_connect         | to number    | null | model.drop_path | as drop_path
drop_path            | to number    | null | model.drop_path
drop_block           | missing number | null | | no areas are dropped
bn_momentum          | missing number | null | | as the model has it
bn_eps               | missing number | null | | "
sync_bn              | to flag      | false | dist.batchnorm
dist_bn              | to text      | reduce | dist.batchnorm | reduce: broadcast_average; with no_ddp_bb local
split_bn             | missing flag | false | | splits share their BatchNorm statistics
model_ema            | to flag      | false | train.ema.decay
model_ema_force_cpu  | to flag      | false | checkpoint.weights | the best checkpoint is chosen by the raw weights |
    | model_ema: true
model_ema_decay      | to number    | 0.9998 | train.ema.decay | | | model_ema: true
model_ema_warmup     | to flag      | false | train.ema.warm_up | | | model_ema: true
seed                 | copy integer | 42 | run.seed
worker_seeding       | idle text    | all | | samples have seeds of their own
log_interval         | to integer   | 50 | log.every log.count
val_interval         | to integer   | 1 | eval.every checkpoint.every
recovery_interval    | idle integer | 0 | | checkpoint.every says when
checkpoint_hist      | to integer   | 10 | checkpoint.keep_best checkpoint.keep_last | the best ones, and the last
workers j            | to integer   | 4 | data.threads | threads; 4: auto
save_images          | idle flag    | false | | samples.png, the first batch
pin_mem              | idle flag    | false | | makes it faster, not other
no_prefetcher        | idle flag    | false | | images are mixed after erasing
output               | copy text    | '' | run.output
experiment           | to text      | '' | run.name
eval_metric          | copy text    | top1 | checkpoint.metric
tta                  | missing integer | 0 | | an image is evaluated once
use_multi_epochs_loader | idle flag    | false | | makes it faster, not other
log_wandb            | idle flag    | false | | log.mlflow, TensorBoard and metrics.jsonl are what there is
wandb_project        | idle text    | null | | "
wandb_tags           | idle texts   | [] | | "
wandb_resume_id      | idle text    | '' | | "
train_img_sizes      | missing integers | null | | images of one size
train_batch_sizes    | missing integers | null | | "
train_size_probs     | missing numbers | null | | "
train_size_schedule  | idle text    | constant | | "
train_size_schedule_spread | idle number  | 0.65 | | "
train_size_random_mix | idle number  | 0.1 | | "
train_batches_per_epoch train_steps_per_epoch | missing integer | null | | "
variable_batch_loss_scale | idle text    | none | | "
naflex_loader        | missing flag | false | | of NaFlex: images of one size
naflex_train_seq_lens | idle integers | [128, 256, 576, 784, 1024] | | "
naflex_max_seq_len   | idle integer | 576 | | "
naflex_patch_sizes   | idle integers | null | | "
naflex_patch_size_probs | idle numbers | null | | "
naflex_loss_scale    | idle text    | linear | | "
naflex_patchify_channels_first | idle flag    | false | | "
kd_model_name        | missing text | null | | train.distill is DeiT's distillation, whose loss is another
kd_distill_type      | idle text    | logit | | "
kd_loss_type         | idle text    | kl | | "
distill_loss_weight  | idle number  | null | | "
task_loss_weight     | idle number  | null | | "
kd_temperature       | idle number  | 4.0 | | "
kd_student_feature_dim | idle integer | null | | "
kd_teacher_feature_dim | idle integer | null | | "
kd_token_distill_type | idle text    | soft | | "
native_amp           | to flag earlier | false | train.precision | as amp
apex_amp             | to flag earlier | false | train.precision | as amp
amp_impl             | idle text earlier | native | | as amp
eval_checkpoint      | missing text earlier | '' | | -eval evaluates
config c             | either text  | '' | | -cfg FILE
task                 | missing text | classification | | several labels for an image: data.train.multi_label, of lists
target_format        | missing text | null | | "
multilabel_threshold | idle number  | 0.5 | | "
pretrained_cfg_overlay | missing map  | {} | | what timm knows of weights: data.preprocess and model.*
loss                 | to text      | null | train.loss | ce, bce, jsd; not asl, poly, twoway, zlpr and db
loss_pos_weight      | to text      | null | train.bce_pos_weight |
    a number, or train.class_weights and train.class_balance | | loss: bce
loss_class_weight    | missing text | null | | "
loss_weight_power    | idle number  | 1.0 | | "
loss_weight_beta     | idle number  | 0.999 | | "
loss_weight_max      | idle number  | null | | "
class_stats          | idle text    | null | | "
asl_gamma_pos        | idle number  | 1.0 | | of a loss that is not there
asl_gamma_neg        | idle number  | 4.0 | | "
asl_clip             | idle number  | 0.05 | | "
asl_reduction        | idle text    | batchmean | | "
poly_epsilon         | idle number  | 2.0 | | "
poly_gamma           | idle number  | 0.0 | | "
poly_alpha           | idle number  | null | | "
twoway_tp            | idle number  | 4.0 | | "
twoway_tn            | idle number  | 1.0 | | "
db_neg_scale         | idle number  | 2.0 | | "
db_init_bias         | idle number  | 0.05 | | "
db_focal_gamma       | idle number  | 2.0 | | "
lr_decay_fn          | to text      | null | schedule.cooldown_shape |
    of wsd and rsqrt: 1-sqrt, linear, cosine; not power and exp | | sched: wsd
lr_stable_timescale  | to number    | null | schedule.timescale | of rsqrt, in epochs; null: the warm-up | |
    sched: rsqrt
stop_epoch           | to integer   | null | run.stop_after | with a checkpoint; each resume trains for this length
    again
save_epochs          | idle integers | null | | checkpoint.every, checkpoint.keep_last and checkpoint.keep_best say
    which checkpoints stay
persistent_workers   | idle flag    | true | | loader threads live as long as the run
no_persistent_workers | idle flag    | false | | "
)";

} // namespace

const Program& timm() {
  static const Program program{
      .name = "timm",
      .title = "timm's train.py",
      .words = word_table(kTimmWords),
      .translate = translate_timm};
  return program;
}

} // namespace vitrain::config::foreign
