#include "config/foreign/words.h"
#include "core/text.h"

namespace vitrain::config::foreign {
namespace {

// Frequent arguments of programs whose command lines are not translated as a
// whole: "NAMES = WORD OR KEY", or "NAMES: what there is instead", below their
// owners.
constexpr std::string_view kSynonyms = R"(
timm's validate.py's and inference.py's:
  split = data.eval.path
  m = model
  use_train_size = model.image_size
  crop_mode = data.preprocess.crop_mode
  log_freq = log.every
  checkpoint = initial_checkpoint
  num_gpu: -ngpus N
  test_pool: an image is evaluated once
  aot_autograd: nothing is compiled
  results_file: -eval writes files to its run folder; vitrain predict -csv FILE
  results_format: vitrain predict -csv FILE or -jsonl FILE
timm's validate.py's:
  num_samples: samples are counted
  crop_border_pixels = data.preprocess.resize
  tf_preprocessing: images are as Pillow reads them
  use_ema: averaged weights are taken first; -set model.pretrained_part=NAME names others
  reparam: vitrain export joins branches
  real_labels = eval.real_labels
  valid_labels = eval.subset
  retry: vitrain -try finds the largest batch
  metrics_avg: classes.csv has each class
timm's inference.py's:
  results_dir: -eval writes to -output; vitrain predict -csv FILE
  topk: vitrain predict -top N
  fullname: names are as they were given
  filename_col index_col label_col output_col output_type label_type include_index exclude_output
    results_separate_col no_console_results: vitrain predict -csv FILE, or -jsonl FILE, has classes, names and
    probabilities
mmpretrain's:
  cfg_options: -set KEY=VALUE, with the keys of docs/config.md
  work_dir = run.output
  auto_scale_lr: -set schedule.scale.rule=linear
Swin's:
  opts: -set KEY=VALUE, with the keys of docs/config.md
  accumulation_steps = train.accumulate
  use_checkpoint: -set train.recompute=blocks
  tag = run.name
  throughput: -try measures
PyTorch's examples':
  a arch = model
  dist_backend = dist.backend
  dummy: -dataset random draws images
  e evaluate: -eval evaluates
  gpu: -gpus LIST, or CUDA_VISIBLE_DEVICES
  multiprocessing_distributed: a worker per device is the default
  p = print_freq
Horovod's examples':
  base_lr = lr
  batches_per_allreduce = train.accumulate
  checkpoint_format: checkpoints are in the run folder
  fp16_allreduce: -set dist.compress=fp16
  gradient_predivide_factor: losses are divided by the samples of the global batch
  no_cuda: -devices cpu
  test_batch_size val_batch_size = data.eval_batch_size
  train_dir = data.train.path
  use_adasum: gradients are averaged
  val_dir = data.eval.path
PaddleClas's:
  o: -set KEY=VALUE, with the keys of docs/config.md
PaddleViT's:
  deploy: vitrain export joins MobileOne's branches
  mae_pretrain: -cfg configs/imagenet_mae_pretrain.yaml, or another recipe with train.loss: pixels
  multi_scale_sampler_ddp: images have one size, or those of data.augment.stages
  teacher_model_path = train.distill.pretrained
DeiT's:
  color_jitter_factor = color_jitter
  data_set: -dataset KIND
  eval_crop_ratio = data.preprocess.crop_pct
  unscale_lr: -set schedule.scale.rule=none
  dist_eval: all workers evaluate
  distillation_alpha = train.distill.alpha
  distillation_tau = train.distill.temperature
  distillation_type = train.distill.type
  finetune = model.pretrained
  no_repeated_aug: data.sampler.policy: repeated is repeated augmentation
  repeated_aug: -set data.sampler.policy=repeated
  src: data.augment.crop: pad with data.augment.padding_mode: reflect
  teacher_model = train.distill.teacher
  teacher_path = train.distill.pretrained
  threeaugment: -set data.augment.auto_augment=3a
DeiT's and PyTorch's examples':
  num_workers = workers
DeiT's and transformers':
  output_dir = output
transformers':
  adam_beta1 adam_beta2: -set optim.betas='[0.9, 0.999]'
  adam_epsilon = opt_eps
  bf16: -amp
  fp16: -set train.precision=fp16
  gradient_accumulation_steps = train.accumulate
  learning_rate = lr
  logging_steps = log.every
  lr_scheduler_type = schedule.name
  max_grad_norm = clip_grad
  max_steps = run.max_steps
  model_name_or_path = model
  num_train_epochs = epochs
  optim = optim.name
  per_device_eval_batch_size = data.eval_batch_size
  per_device_train_batch_size train_batch_size = data.batch_size
  report_to: TensorBoard's events; log.mlflow
  save_total_limit = checkpoint.keep_last
another program's:
  batch bs = data.batch_size
  classes = model.num_classes
  drop_path_rate = drop_path
  grad_accum = train.accumulate
  grad_clip = clip_grad
  n_epochs num_epochs = epochs
  optimizer = opt
  scheduler = sched
)";

} // namespace

const std::vector<Synonym>& synonyms() {
  static const std::vector<Synonym> all = [] {
    std::vector<Synonym> list;
    std::string owners;
    for (const std::string& row : table_rows(kSynonyms)) {
      if (row.ends_with(':')) {
        owners = row.substr(0, row.size() - 1);
        continue;
      }
      const std::size_t end = row.find_first_of("=:");
      const std::string text(trim(row.substr(end + 1)));
      const bool known = row[end] == '=';
      for (const std::string& name : split(trim(row.substr(0, end)), ' ')) {
        list.push_back({name, owners, known ? text : "", known ? "" : text});
      }
    }
    return list;
  }();
  return all;
}

} // namespace vitrain::config::foreign
