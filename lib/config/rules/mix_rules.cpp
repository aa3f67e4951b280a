#include "config/rules/mix_rules.h"

#include <fmt/format.h>

#include "config/rules/dist_rules.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Returns the first key that requests mixing; "" if there is none.
std::string mixing_key(const MixConfig& mix) {
  return mix.mixup > 0.0  ? "data.augment.mixup"
      : mix.cutmix > 0.0  ? "data.augment.cutmix"
      : mix.cutmix_minmax ? "data.augment.cutmix_minmax"
                          : "";
}

// Returns a message if a micro-batch has a single sample; otherwise, and if
// that depends on an unknown number of workers, "".
std::string lone_sample(const Recipe& recipe, const CheckContext& context) {
  const DataConfig& data = recipe.data;
  const bool global = data.batch_mode == BatchMode::kGlobal;
  const std::int64_t workers = context.workers;
  if (global && workers == kWorkersUnknown) {
    return "";
  }
  // If shares differ, the largest one.
  const std::int64_t more = shares_may_differ(recipe) ? workers - 1 : 0;
  const std::int64_t share =
      global ? (data.batch_size + more) / workers : data.batch_size;
  if (share > 1) {
    return "";
  }
  return fmt::format(
      "mixes the samples of a micro-batch, and with data.batch_size: {}{} "
      "each has one: take at least {}, or set 0",
      data.batch_size,
      global ? " on " + counted(workers, "worker") : "",
      global ? 2 * workers : 2);
}

} // namespace

namespace {

// Checks the loss against other keys.
void check_losses(
    const TrainConfig& train,
    const EraseConfig& erase,
    Checker& checker) {
  checker.require(
      train.splits() == 1 || !train.distill.active(),
      "train.distill.type",
      "a teacher looks at one version of an image, and train.loss: "
      "jensen_shannon has several: set none",
      {"train.loss"});
  checker.require(
      erase.erasing_clean || train.loss == LossKind::kJensenShannon,
      "data.augment.erasing_clean",
      fmt::format(
          "false is for train.loss: jensen_shannon, and it is {}: set true",
          name_of(train.loss)),
      {"train.loss"});
  checker.require(
      (is_binary(train.loss) || !train.bce_threshold) &&
          (is_summed(train.loss) || !train.bce_sum),
      !is_binary(train.loss) && train.bce_threshold ? "train.bce_threshold"
                                                    : "train.bce_sum",
      "needs train.loss: binary_cross_entropy, focal, asymmetric or zlpr",
      {"train.loss"});
}

} // namespace

std::vector<Finding> check_mixing(
    const Recipe& recipe,
    const CheckContext& context) {
  Checker checker;
  const MixConfig& mix = recipe.data.augment.mix;
  const EraseConfig& erase = recipe.data.augment.erase;
  const TrainConfig& train = recipe.train;
  const std::string key = mixing_key(mix);
  if (mix.active()) {
    checker.require(
        has_classes(train.loss),
        key,
        fmt::format(
            "mixes the labels of classes, which train.loss: {} has not: set 0",
            name_of(train.loss)),
        {"train.loss"});
    checker.require(
        train.splits() == 1,
        key,
        "mixes the images of a batch, of which train.loss: jensen_shannon "
        "compares versions: set 0",
        {"train.loss"});
    const std::string lone = lone_sample(recipe, context);
    checker.require(
        lone.empty(),
        key,
        lone,
        {"data.batch_size", "data.batch_mode", "devices", "dist.mode"});
  }
  checker.require(
      !key.empty() || !mix.mix_off_epoch,
      "data.augment.mix_off_epoch",
      "ends mixup and CutMix, and neither is asked for: set mixup or cutmix, "
      "or null",
      {"data.augment.mixup",
       "data.augment.cutmix",
       "data.augment.cutmix_minmax"});
  checker.require(
      !erase.active() || recipe.data.train.kind != SourceKind::kVectors,
      "data.augment.erasing",
      "is for images, and data.train.kind is vectors: set 0",
      {"data.train.kind"});
  check_losses(train, erase, checker);
  return checker.take();
}

} // namespace vitrain::config
