#include <array>

#include "config/foreign/words.h"

// What is often written on the command lines of others that are not translated
// as a whole: Horovod's and PyTorch's ImageNet examples, PaddleClas, DeiT,
// transformers.
namespace vitrain::config::foreign {
namespace {

constexpr std::string_view kDeit = "DeiT's";
constexpr std::string_view kHorovod = "Horovod's examples'";
constexpr std::string_view kPaddleClas = "PaddleClas's";
constexpr std::string_view kPyTorch = "PyTorch's examples'";
constexpr std::string_view kTransformers = "transformers'";
constexpr std::string_view kAnyone = "another program's";

constexpr auto kSynonyms = std::to_array<Synonym>({
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
    {"color_jitter_factor", kDeit, "color_jitter"},
    {"data_set", kDeit, "", "-dataset KIND"},
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
    {"src", kDeit, "", "data.augment.crop: pad"},
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
