#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "config/sections/erase.h"
#include "config/sections/mix.h"

namespace vitrain::config::paddlevit {

struct PaddleOptimizer {
  std::string name = "AdamW";
  double eps = 1e-8;
  std::array<double, 2> betas{0.9, 0.999};
  double momentum = 0.9;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("NAME", name, "").not_empty();
    v.field("EPS", eps, "").more_than(0.0);
    v.field("BETAS", betas, "").each_at_least(0.0).each_less_than(1.0);
    v.field("MOMENTUM", momentum, "");
  }
};

// Keys that only MAE and files before 2022 have.
struct LrScheduler {
  std::string name = "warmupcosine";
  std::string milestones = "30, 60, 90";
  std::int64_t decay_epochs = 30;
  double decay_rate = 0.1;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("NAME", name, "").each_of({"warmupcosine", "cosine", "step"});
    v.field("MILESTONES", milestones, "");
    v.field("DECAY_EPOCHS", decay_epochs, "");
    v.field("DECAY_RATE", decay_rate, "");
  }
};

struct Train {
  std::int64_t last_epoch = 0;
  std::int64_t num_epochs = 300;
  std::int64_t warmup_epochs = 32;
  double base_lr = 3e-3;
  double warmup_start_lr = 1e-6;
  double end_lr = 0.0;
  double weight_decay = 0.3;
  std::optional<double> grad_clip;
  std::int64_t accum_iter = 1;
  // Keys down to multi_scale_sampler_ddp that PaddleViT's ViT does not have:
  // with these defaults they change nothing. defaults_of() sets other
  // families'.
  std::optional<std::int64_t> linear_scaled_lr;
  bool model_ema = false;
  double model_ema_decay = 0.99996;
  bool model_ema_force_cpu = true;
  double smoothing = 0.0;
  double color_jitter = 0.0;
  bool auto_augment = false;
  bool rand_augment = false;
  std::int64_t rand_augment_layers = 2;
  std::int64_t rand_augment_magnitude = 9;
  double mixup_alpha = 0.0;
  double mixup_prob = 1.0;
  double mixup_switch_prob = 0.5;
  MixMode mixup_mode = MixMode::kBatch;
  double cutmix_alpha = 0.0;
  std::optional<std::array<double, 2>> cutmix_minmax;
  double random_erase_prob = 0.0;
  EraseMode random_erase_mode = EraseMode::kPixel;
  std::int64_t random_erase_count = 1;
  bool random_erase_split = false;
  std::string distillation_type = "none";
  double distillation_alpha = 0.5;
  double distillation_tau = 1.0;
  std::optional<std::string> teacher_model;
  std::optional<double> layer_decay;
  bool normalize_target = true;
  bool multi_scale_sampler_ddp = false;
  LrScheduler lr_scheduler;
  PaddleOptimizer optimizer;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("LAST_EPOCH", last_epoch, "").in_range(0, 1000000);
    v.field("NUM_EPOCHS", num_epochs, "").in_range(1, 1000000);
    v.field("WARMUP_EPOCHS", warmup_epochs, "").in_range(0, 1000000);
    v.field("BASE_LR", base_lr, "").at_least(0.0);
    v.field("WARMUP_START_LR", warmup_start_lr, "").at_least(0.0);
    v.field("END_LR", end_lr, "").at_least(0.0);
    v.field("WEIGHT_DECAY", weight_decay, "").at_least(0.0);
    v.field("GRAD_CLIP", grad_clip, "").at_least(0.0);
    v.field("ACCUM_ITER", accum_iter, "").in_range(1, 1 << 20);
    v.field("LINEAR_SCALED_LR", linear_scaled_lr, "")
        .in_range(1, std::int64_t{1} << 40);
    v.field("MODEL_EMA", model_ema, "");
    v.field("MODEL_EMA_DECAY", model_ema_decay, "");
    v.field("MODEL_EMA_FORCE_CPU", model_ema_force_cpu, "");
    v.field("SMOOTHING", smoothing, "").at_least(0.0).less_than(1.0);
    v.field("COLOR_JITTER", color_jitter, "").at_least(0.0);
    v.field("AUTO_AUGMENT", auto_augment, "");
    v.field("RAND_AUGMENT", rand_augment, "");
    v.field("RAND_AUGMENT_LAYERS", rand_augment_layers, "").in_range(1, 32);
    v.field("RAND_AUGMENT_MAGNITUDE", rand_augment_magnitude, "")
        .in_range(0, 100);
    v.field("MIXUP_ALPHA", mixup_alpha, "").at_least(0.0);
    v.field("MIXUP_PROB", mixup_prob, "").in_range(0.0, 1.0);
    v.field("MIXUP_SWITCH_PROB", mixup_switch_prob, "").in_range(0.0, 1.0);
    v.field("MIXUP_MODE", mixup_mode, "");
    v.field("CUTMIX_ALPHA", cutmix_alpha, "").at_least(0.0);
    v.field("CUTMIX_MINMAX", cutmix_minmax, "")
        .each_more_than(0.0)
        .each_at_most(1.0)
        .ascending();
    v.field("RANDOM_ERASE_PROB", random_erase_prob, "").in_range(0.0, 1.0);
    v.field("RANDOM_ERASE_MODE", random_erase_mode, "");
    v.field("RANDOM_ERASE_COUNT", random_erase_count, "").in_range(0, 64);
    v.field("RANDOM_ERASE_SPLIT", random_erase_split, "");
    v.field("DISTILLATION_TYPE", distillation_type, "")
        .each_of({"none", "soft", "hard"});
    v.field("DISTILLATION_ALPHA", distillation_alpha, "");
    v.field("DISTILLATION_TAU", distillation_tau, "");
    v.field("TEACHER_MODEL", teacher_model, "");
    v.field("LAYER_DECAY", layer_decay, "").more_than(0.0).at_most(1.0);
    v.field("NORMALIZE_TARGET", normalize_target, "");
    v.field("MULTI_SCALE_SAMPLER_DDP", multi_scale_sampler_ddp, "");
    v.section("LR_SCHEDULER", lr_scheduler, "");
    v.section("OPTIMIZER", optimizer, "");
  }
};

} // namespace vitrain::config::paddlevit
