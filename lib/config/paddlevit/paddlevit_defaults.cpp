#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/paddlevit/paddlevit_keys.h"
#include "core/text.h"

// Defaults of each family.
namespace vitrain::config::paddlevit {
namespace {

std::vector<std::string> available_names() {
  std::vector<std::string> names;
  for (const PaddleFamily* family : families()) {
    if (family->available) {
      names.emplace_back(family->name);
    }
  }
  return names;
}

void use(const Defaults& from, Config& to) {
  to.data.image_size = from.image_size;
  to.data.crop_pct = from.crop_pct;
  if (!from.half) {
    to.data.mean = {0.485, 0.456, 0.406};
    to.data.std = {0.229, 0.224, 0.225};
  }
  to.model.droppath = from.droppath;
  Train& train = to.train;
  train.num_epochs = from.epochs;
  train.warmup_epochs = from.warmup;
  train.weight_decay = from.weight_decay;
  train.base_lr = from.base_lr;
  train.warmup_start_lr = from.warmup_lr;
  train.end_lr = from.end_lr;
  if (from.grad_clip > 0.0) {
    train.grad_clip = from.grad_clip;
  }
  if (from.scaled_lr > 0) {
    train.linear_scaled_lr = from.scaled_lr;
  }
  train.distillation_type = from.distillation;
}

// Defaults of all families except ViT.
void use_modern_recipe(Config& to) {
  Train& train = to.train;
  train.smoothing = 0.1;
  train.color_jitter = 0.4;
  train.rand_augment = true;
  train.mixup_alpha = 0.8;
  train.cutmix_alpha = 1.0;
  train.random_erase_prob = 0.25;
}

} // namespace

std::string refusal_of_type(std::string_view type) {
  const PaddleFamily* family = find_family(type);
  if (family != nullptr) {
    return family->available
        ? ""
        : fmt::format(
              "{} is not available in this version{}; {} are",
              family->name,
              family->why.empty() ? "" : fmt::format(" ({})", family->why),
              join(available_names(), ", "));
  }
  return fmt::format(
      "{} is no family of PaddleViT's; {} are available",
      printable(std::string(type)),
      join(available_names(), ", "));
}

Config defaults_of(std::string_view type) {
  Config config;
  const PaddleFamily* family = find_family(type);
  config.family = family;
  config.model.vit_numbers = family->vit_numbers;
  config.own = own_defaults(*family);
  use(family->defaults, config);
  if (family->name != "ViT") {
    use_modern_recipe(config);
    config.train.model_ema = family->defaults.ema;
  }
  if (family->defaults.also != nullptr) {
    family->defaults.also(config);
  }
  return config;
}

void use_older_defaults(Config& config) {
  config.model.dropout = 0.1;
  config.model.attention_dropout = 0.1;
  config.model.droppath = 0.1;
  config.model.patch_size = 32;
  config.train.warmup_epochs = 3;
  config.train.weight_decay = 0.05;
  config.train.end_lr = 5e-4;
  config.train.grad_clip = 1.0;
  config.report_freq = 100;
  config.validate_freq = 100;
}

} // namespace vitrain::config::paddlevit
