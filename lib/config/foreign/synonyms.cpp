#include <array>

#include "config/foreign/words.h"

// Frequent arguments of programs whose command lines are not translated as a
// whole: timm's validate.py and inference.py, Horovod's and PyTorch's ImageNet
// examples, PaddleClas, DeiT, Swin, mmpretrain, transformers.
namespace vitrain::config::foreign {
namespace {

constexpr std::string_view kDeit = "DeiT's";
constexpr std::string_view kHorovod = "Horovod's examples'";
constexpr std::string_view kPaddleClas = "PaddleClas's";
constexpr std::string_view kPaddleVit = "PaddleViT's";
constexpr std::string_view kPyTorch = "PyTorch's examples'";
constexpr std::string_view kTransformers = "transformers'";
constexpr std::string_view kValidate = "timm's validate.py's";
constexpr std::string_view kInference = "timm's inference.py's";
constexpr std::string_view kBothOfTimm =
    "timm's validate.py's and inference.py's";
constexpr std::string_view kSwin = "Swin's";
constexpr std::string_view kMmpretrain = "mmpretrain's";
constexpr std::string_view kTables =
    "vitrain predict -csv FILE, or -jsonl FILE, has classes, names and "
    "probabilities";
constexpr std::string_view kAnyone = "another program's";

constexpr auto kSynonyms = std::to_array<Synonym>({
    {"split", kBothOfTimm, "data.eval.path"},
    {"num_samples", kValidate, "", "samples are counted"},
    {"m", kBothOfTimm, "model"},
    {"use_train_size", kBothOfTimm, "model.image_size"},
    {"crop_mode", kBothOfTimm, "data.preprocess.crop_mode"},
    {"crop_border_pixels", kValidate, "data.preprocess.resize"},
    {"log_freq", kBothOfTimm, "log.every"},
    {"checkpoint", kBothOfTimm, "initial_checkpoint"},
    {"num_gpu", kBothOfTimm, "", "-ngpus N"},
    {"test_pool", kBothOfTimm, "", "an image is evaluated once"},
    {"tf_preprocessing", kValidate, "", "images are as Pillow reads them"},
    {"use_ema",
     kValidate,
     "",
     "averaged weights are taken first; -set model.pretrained_part=NAME names "
     "others"},
    {"reparam", kValidate, "", "vitrain export joins branches"},
    {"aot_autograd", kBothOfTimm, "", "nothing is compiled"},
    {"results_file",
     kBothOfTimm,
     "",
     "-eval writes files to its run folder; vitrain predict -csv FILE"},
    {"results_dir",
     kInference,
     "",
     "-eval writes to -output; vitrain predict -csv FILE"},
    {"results_format",
     kBothOfTimm,
     "",
     "vitrain predict -csv FILE or -jsonl FILE"},
    {"real_labels", kValidate, "eval.real_labels"},
    {"valid_labels", kValidate, "eval.subset"},
    {"retry", kValidate, "", "vitrain -try finds the largest batch"},
    {"metrics_avg", kValidate, "", "classes.csv has each class"},
    {"topk", kInference, "", "vitrain predict -top N"},
    {"fullname", kInference, "", "names are as they were given"},
    {"filename_col", kInference, "", kTables},
    {"index_col", kInference, "", kTables},
    {"label_col", kInference, "", kTables},
    {"output_col", kInference, "", kTables},
    {"output_type", kInference, "", kTables},
    {"label_type", kInference, "", kTables},
    {"include_index", kInference, "", kTables},
    {"exclude_output", kInference, "", kTables},
    {"results_separate_col", kInference, "", kTables},
    {"no_console_results", kInference, "", kTables},
    {"cfg_options",
     kMmpretrain,
     "",
     "-set KEY=VALUE, with the keys of docs/config.md"},
    {"work_dir", kMmpretrain, "run.output"},
    {"auto_scale_lr", kMmpretrain, "", "-set schedule.scale.rule=linear"},
    {"opts", kSwin, "", "-set KEY=VALUE, with the keys of docs/config.md"},
    {"accumulation_steps", kSwin, "train.accumulate"},
    {"use_checkpoint", kSwin, "", "-set train.recompute=blocks"},
    {"tag", kSwin, "run.name"},
    {"throughput", kSwin, "", "-try measures"},
    {"a", kPyTorch, "model"},
    {"arch", kPyTorch, "model"},
    {"dist_backend", kPyTorch, "dist.backend"},
    {"dummy", kPyTorch, "", "-dataset random draws images"},
    {"e", kPyTorch, "", "-eval evaluates"},
    {"evaluate", kPyTorch, "", "-eval evaluates"},
    {"gpu", kPyTorch, "", "-gpus LIST, or CUDA_VISIBLE_DEVICES"},
    {"multiprocessing_distributed",
     kPyTorch,
     "",
     "a worker per device is the default"},
    {"p", kPyTorch, "print_freq"},
    {"base_lr", kHorovod, "lr"},
    {"batches_per_allreduce", kHorovod, "train.accumulate"},
    {"checkpoint_format", kHorovod, "", "checkpoints are in the run folder"},
    {"fp16_allreduce", kHorovod, "", "-set dist.compress=fp16"},
    {"gradient_predivide_factor",
     kHorovod,
     "",
     "losses are divided by the samples of the global batch"},
    {"no_cuda", kHorovod, "", "-devices cpu"},
    {"test_batch_size", kHorovod, "data.eval_batch_size"},
    {"train_dir", kHorovod, "data.train.path"},
    {"use_adasum", kHorovod, "", "gradients are averaged"},
    {"val_batch_size", kHorovod, "data.eval_batch_size"},
    {"val_dir", kHorovod, "data.eval.path"},
    {"o", kPaddleClas, "", "-set KEY=VALUE, with the keys of docs/config.md"},
    {"deploy", kPaddleVit, "", "vitrain export joins MobileOne's branches"},
    {"mae_pretrain",
     kPaddleVit,
     "",
     "-cfg configs/imagenet_mae_pretrain.yaml, or another recipe with "
     "train.loss: pixels"},
    {"multi_scale_sampler_ddp",
     kPaddleVit,
     "",
     "images have one size, or those of data.augment.stages"},
    {"teacher_model_path", kPaddleVit, "train.distill.pretrained"},
    {"color_jitter_factor", kDeit, "color_jitter"},
    {"data_set", kDeit, "", "-dataset KIND"},
    {"eval_crop_ratio", kDeit, "data.preprocess.crop_pct"},
    {"unscale_lr", kDeit, "", "-set schedule.scale.rule=none"},
    {"dist_eval", kDeit, "", "all workers evaluate"},
    {"distillation_alpha", kDeit, "train.distill.alpha"},
    {"distillation_tau", kDeit, "train.distill.temperature"},
    {"distillation_type", kDeit, "train.distill.type"},
    {"finetune", kDeit, "model.pretrained"},
    {"no_repeated_aug",
     kDeit,
     "",
     "data.sampler.policy: repeated is repeated augmentation"},
    {"num_workers", "DeiT's and PyTorch's examples'", "workers"},
    {"output_dir", "DeiT's and transformers'", "output"},
    {"repeated_aug", kDeit, "", "-set data.sampler.policy=repeated"},
    {"src",
     kDeit,
     "",
     "data.augment.crop: pad with data.augment.padding_mode: reflect"},
    {"teacher_model", kDeit, "train.distill.teacher"},
    {"teacher_path", kDeit, "train.distill.pretrained"},
    {"threeaugment", kDeit, "", "-set data.augment.auto_augment=3a"},
    {"adam_beta1", kTransformers, "", "-set optim.betas='[0.9, 0.999]'"},
    {"adam_beta2", kTransformers, "", "-set optim.betas='[0.9, 0.999]'"},
    {"adam_epsilon", kTransformers, "opt_eps"},
    {"bf16", kTransformers, "", "-amp"},
    {"fp16", kTransformers, "", "-set train.precision=fp16"},
    {"gradient_accumulation_steps", kTransformers, "train.accumulate"},
    {"learning_rate", kTransformers, "lr"},
    {"logging_steps", kTransformers, "log.every"},
    {"lr_scheduler_type", kTransformers, "schedule.name"},
    {"max_grad_norm", kTransformers, "clip_grad"},
    {"max_steps", kTransformers, "run.max_steps"},
    {"model_name_or_path", kTransformers, "model"},
    {"num_train_epochs", kTransformers, "epochs"},
    {"optim", kTransformers, "optim.name"},
    {"per_device_eval_batch_size", kTransformers, "data.eval_batch_size"},
    {"per_device_train_batch_size", kTransformers, "data.batch_size"},
    {"report_to", kTransformers, "", "TensorBoard's events; log.mlflow"},
    {"save_total_limit", kTransformers, "checkpoint.keep_last"},
    {"train_batch_size", kTransformers, "data.batch_size"},
    {"batch", kAnyone, "data.batch_size"},
    {"bs", kAnyone, "data.batch_size"},
    {"classes", kAnyone, "model.num_classes"},
    {"drop_path_rate", kAnyone, "drop_path"},
    {"grad_accum", kAnyone, "train.accumulate"},
    {"grad_clip", kAnyone, "clip_grad"},
    {"n_epochs", kAnyone, "epochs"},
    {"num_epochs", kAnyone, "epochs"},
    {"optimizer", kAnyone, "opt"},
    {"scheduler", kAnyone, "sched"},
});

} // namespace

std::span<const Synonym> synonyms() {
  return kSynonyms;
}

} // namespace vitrain::config::foreign
