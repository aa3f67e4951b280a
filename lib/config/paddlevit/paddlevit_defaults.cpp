#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/paddlevit/paddlevit_keys.h"
#include "config/schema/document.h"
#include "config/schema/values.h"
#include "core/text.h"

// Defaults of each family.
namespace vitrain::config::paddlevit {
namespace {

std::vector<std::string> available_names() {
  std::vector<std::string> names;
  for (const PaddleFamily& family : families()) {
    if (family.available) {
      names.push_back(family.name);
    }
  }
  return names;
}

// Defaults of all families except ViT; PaddleFamily::defaults replace them.
constexpr std::string_view kModern =
    "DATA.IMAGENET_MEAN=[0.485,0.456,0.406] "
    "DATA.IMAGENET_STD=[0.229,0.224,0.225] MODEL.DROPPATH=0.1 "
    "TRAIN.WARMUP_EPOCHS=20 TRAIN.WEIGHT_DECAY=0.05 TRAIN.BASE_LR=5e-4 "
    "TRAIN.END_LR=1e-5 TRAIN.LINEAR_SCALED_LR=512 TRAIN.SMOOTHING=0.1 "
    "TRAIN.COLOR_JITTER=0.4 TRAIN.RAND_AUGMENT=true TRAIN.MIXUP_ALPHA=0.8 "
    "TRAIN.CUTMIX_ALPHA=1.0 TRAIN.RANDOM_ERASE_PROB=0.25";

// Defaults of PaddleViT's ViT before 2022.
constexpr std::string_view kOlder =
    "MODEL.DROPOUT=0.1 MODEL.ATTENTION_DROPOUT=0.1 MODEL.DROPPATH=0.1 "
    "MODEL.PATCH_SIZE=32 TRAIN.WARMUP_EPOCHS=3 TRAIN.WEIGHT_DECAY=0.05 "
    "TRAIN.END_LR=5e-4 TRAIN.GRAD_CLIP=1.0 REPORT_FREQ=100 VALIDATE_FREQ=100";

// Sets keys; `values`: "KEY=VALUE" each.
void set_values(const std::vector<std::string>& values, Config& config) {
  const Schema schema = schema_of(config);
  for (const std::string& item : values) {
    const std::size_t equals = item.find('=');
    Problems none;
    const auto field =
        std::ranges::find(schema.fields, item.substr(0, equals), &Field::path);
    read_value(
        *field, *parse_document(item.substr(equals + 1), "default", none));
  }
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
              family->note.empty() ? "" : fmt::format(" ({})", family->note),
              join(available_names(), ", "));
  }
  return fmt::format(
      "{} is no family of PaddleViT's; {} are available",
      printable(std::string(type)),
      join(available_names(), ", "));
}

Config::Config() {
  std::vector<std::string> initial;
  for (const foreign::Word& word : words()) {
    initial.push_back(word.name + "=" + word.initial);
  }
  set_values(initial, *this);
}

Config defaults_of(std::string_view type) {
  Config config;
  config.family = find_family(type);
  config.vit_numbers = config.family->vit_numbers;
  config.own = own_defaults(*config.family);
  if (config.family->name != "ViT") {
    set_values(split(kModern, ' '), config);
    set_values(config.family->defaults, config);
  }
  return config;
}

void use_older_defaults(Config& config) {
  set_values(split(kOlder, ' '), config);
}

} // namespace vitrain::config::paddlevit
