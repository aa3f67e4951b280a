#include <filesystem>
#include <initializer_list>

#include "config/foreign/timm_defaults.h"
#include "config/foreign/timm_translator.h"
#include "config/schema/auto_augment_text.h"

namespace vitrain::config::foreign {
namespace {

// Returns timm's folder of a split: `split`; if that is missing and one of the
// synonyms, the first of them that exists, or `usual` if none does.
std::string timm_split(
    const std::string& root,
    const std::string& split,
    std::initializer_list<const char*> synonyms,
    const char* usual) {
  std::error_code error;
  const std::filesystem::path folder = root;
  if (std::filesystem::is_directory(folder / split, error)) {
    return (folder / split).native();
  }
  const bool known = std::ranges::find(synonyms, split) != synonyms.end();
  for (const char* name : synonyms) {
    if (known && std::filesystem::is_directory(folder / name, error)) {
      return (folder / name).native();
    }
  }
  return (folder / (known ? usual : split)).native();
}

} // namespace

void TimmTranslator::translate_inputs() {
  translate_data();
  translate_model();
  translate_preprocess();
  translate_crops();
  translate_colours();
  translate_mixing();
}

void TimmTranslator::translate_data() {
  translate_dataset();
  DataConfig& data = recipe_.data;
  // DistributedSampler pads to equal shares, and the loader then drops
  // incomplete batches.
  data.sampler.drop_tail = false;
  if (words_.number("aug_repeats") > 0.0) {
    data.sampler.policy = SamplerPolicy::kRepeated;
    data.sampler.repeats = words_.number("aug_repeats");
  } else {
    data.sampler.policy = SamplerPolicy::kTorch;
  }
}

void TimmTranslator::translate_dataset() {
  SourceConfig& train = recipe_.data.train;
  SourceConfig& eval = recipe_.data.eval;
  const std::string name = words_.text("dataset");
  SourceKind kind = SourceKind::kFolder;
  if (name == "torch/cifar10" || name == "torch/cifar100") {
    kind = SourceKind::kCifar;
    differs("dataset", "kind: cifar reads the binary files of CIFAR");
  } else if (name == "torch/mnist" || name == "torch/fashion_mnist") {
    kind = SourceKind::kMnist;
  } else if (name.starts_with("wds/")) {
    kind = SourceKind::kTar;
  } else if (
      !name.empty() && name != "folder" && name != "image_folder" &&
      name != "torch/folder" && name != "torch/image_folder" &&
      name != "torch/imagenet") {
    left_out("dataset", "folders, tar files, CIFAR and MNIST");
  }
  train.kind = eval.kind = kind;
  if (kind == SourceKind::kFolder && !name.starts_with("torch/")) {
    train.class_order = eval.class_order = ClassOrder::kTimm;
  }
  const std::string root =
      words_.text(words_.has("data_dir") ? "data_dir" : "data");
  if (root.empty()) {
    return;
  }
  if (kind == SourceKind::kCifar || kind == SourceKind::kMnist) {
    train.path = eval.path = root;
    return;
  }
  train.path = timm_split(
      root, words_.text("train_split"), {"train", "training"}, "train");
  eval.path = timm_split(
      root,
      words_.text("val_split"),
      {"val", "valid", "validation", "eval", "evaluation"},
      "val");
}

void TimmTranslator::translate_model() {
  ModelConfig& model = recipe_.model;
  std::string name = words_.text("model");
  for (const char* hub : {"hf-hub:", "hf_hub:", "timm/"}) {
    name = without_prefix(name, hub);
  }
  model.name = name.substr(0, name.find('.'));
  if (words_.flag("pretrained")) {
    model.pretrained = "timm:" + name;
  }
  for (const char* word : {"initial_checkpoint", "pretrained_path"}) {
    if (words_.has(word)) {
      model.pretrained = words_.text(word);
    }
  }
  const TimmDefaults defaults = timm_defaults(name);
  if (words_.has("num_classes")) {
    model.num_classes = words_.integer("num_classes");
  } else if (defaults.outputs > 0) {
    model.num_classes = defaults.outputs;
  } else {
    left_out(
        "num_classes",
        fmt::format(
            "{} has no classifier in timm: give --num-classes N",
            printable(name)));
  }
  // Networks other than these always use average pooling.
  const bool has_choice = model.name.starts_with("vit_") ||
      model.name.starts_with("deit") || model.name.starts_with("flexivit_");
  if (words_.has("gp") && (has_choice || words_.text("gp") != "avg")) {
    choose("gp", model.global_pool);
  }
  model.drop_path = defaults.drop_path;
  for (const char* word : {"drop_connect", "drop_path"}) {
    if (words_.has(word)) {
      model.drop_path = words_.number(word);
    }
  }
}

void TimmTranslator::translate_preprocess() {
  PreprocessConfig& preprocess = recipe_.data.preprocess;
  const std::string& name = recipe_.model.name;
  double crop_pct = preprocess.crop_pct;
  if (const auto known = timm_preprocess(name)) {
    preprocess = known->config;
    // timm's train.py evaluates the centre crop, even if the weights' crop_mode
    // differs.
    preprocess.crop_mode = CropMode::kCenter;
    crop_pct = known->crop_pct;
    recipe_.model.image_size = known->image_size;
    if (words_.text("model").find('.') != std::string::npos) {
      differs(
          "model",
          fmt::format(
              "data.preprocess is that of {}'s default weights: compare it "
              "with these",
              printable(name)));
    }
  }
  if (words_.has("img_size")) {
    recipe_.model.image_size = words_.integer("img_size");
  }
  const auto size = words_.integers("input_size");
  if (words_.has("input_size") && size.size() != 3) {
    left_out("input_size", "three numbers: channels, height and width");
  } else if (size.size() == 3) {
    recipe_.model.in_chans = size[0];
    recipe_.model.image_size = ImageSize(size[1], size[2]);
  }
  if (words_.has("mean")) {
    preprocess.mean = three("mean");
  }
  if (words_.has("std")) {
    preprocess.std = three("std");
  }
  if (words_.has("interpolation")) {
    choose("interpolation", preprocess.interpolation);
  }
  if (words_.has("crop_pct")) {
    crop_pct = words_.number("crop_pct");
  }
  preprocess.crop_pct = std::min(crop_pct, 1.0);
  if (crop_pct > 1.0 && recipe_.model.image_size) {
    preprocess.resize = static_cast<std::int64_t>(
        static_cast<double>(recipe_.model.image_size->height) / crop_pct);
  }
}

void TimmTranslator::translate_crops() {
  AugmentConfig& augment = recipe_.data.augment;
  if (words_.has("train_crop_mode") &&
      words_.text("train_crop_mode") != "rrc") {
    choose("train_crop_mode", augment.crop);
  }
  augment.scale = two("scale");
  augment.ratio = two("ratio");
  if (words_.flag("no_aug")) {
    augment.crop = TrainCrop::kSquash;
    augment.interpolation = TrainInterpolation::kSame;
    augment.flip = augment.vertical_flip = 0.0;
  }
}

void TimmTranslator::translate_colours() {
  if (words_.flag("no_aug")) {
    return;
  }
  AugmentConfig& augment = recipe_.data.augment;
  const std::string policy = words_.text("aa");
  bool replaces_jitter = false;
  if (!policy.empty()) {
    const std::string fault = validate_auto_augment(policy);
    if (fault.empty()) {
      augment.auto_augment = policy;
      replaces_jitter = policy.find("3a") == std::string::npos;
    } else {
      left_out("aa", fault);
    }
  }
  if (words_.number("color_jitter") > 0.0 && !replaces_jitter) {
    augment.color_jitter = {words_.number("color_jitter")};
  }
  if (words_.has("color_jitter_prob")) {
    augment.color_jitter_prob = words_.number("color_jitter_prob");
  }
  augment.grayscale = words_.number("grayscale_prob");
  augment.gaussian_blur = words_.number("gaussian_blur_prob");
  if (augment.gaussian_blur > 0.0) {
    differs(
        "gaussian_blur_prob",
        "Pillow's blur; timm's has a kernel of 23 pixels");
  }
}

void TimmTranslator::translate_mixing() {
  AugmentConfig& augment = recipe_.data.augment;
  MixConfig& mix = augment.mix;
  if (words_.has("cutmix_minmax")) {
    mix.cutmix_minmax = two("cutmix_minmax");
  }
  if (!mix.wanted()) {
    without_effect({"mixup_off_epoch"});
  } else if (words_.integer("mixup_off_epoch") > 0) {
    mix.mix_off_epoch = words_.integer("mixup_off_epoch");
  }
  augment.erase.erasing = words_.flag("no_aug") ? 0.0 : words_.number("reprob");
}

void translate_timm(const Words& words, Translation& to) {
  TimmTranslator translator(words, to);
  translator.translate_inputs();
  translator.translate_training();
}

} // namespace vitrain::config::foreign
