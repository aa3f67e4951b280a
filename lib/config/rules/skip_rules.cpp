// Implements check_fp16_steps() and check_skipped_steps() of dist_rules.h.

#include "config/rules/dist_rules.h"

#include <fmt/format.h>

#include "core/enum_names.h"

namespace vitrain::config {
namespace {

const std::vector<std::string> kModes{"dist.mode", "dist.sync.mode"};

// True if a skipped step has no side effects on any worker.
bool can_skip_steps(const Recipe& recipe) {
  return recipe.dist.sync.mode == SyncMode::kAllreduce &&
      !keeps_errors(recipe.dist.compress);
}

} // namespace

std::vector<Finding> check_fp16_steps(const Recipe& recipe) {
  Checker checker;
  const TrainConfig& train = recipe.train;
  const bool fp16 = train.precision == Precision::kFp16;
  const auto require = [&](bool good, const char* key, const char* text) {
    std::vector<std::string> others = kModes;
    others.emplace_back("train.precision");
    checker.require(good, key, text, std::move(others));
  };
  require(
      train.on_non_finite == OnNonFinite::kStop || !fp16,
      "train.on_non_finite",
      "train.precision: fp16 skips steps that overflow by itself, and stops "
      "where no scale of the loss helps: use stop");
  require(
      !train.on_spike.active() || !fp16,
      "train.on_spike.factor",
      "in train.precision: fp16 a step without an update lowers the scale of "
      "the loss: use bf16 or fp32");
  return checker.take();
}

std::vector<Finding> check_skipped_steps(const Recipe& recipe) {
  Checker checker;
  const bool can_skip = can_skip_steps(recipe);
  const auto require = [&](bool good, const char* key, std::string text) {
    std::vector<std::string> others = kModes;
    others.emplace_back("dist.compress");
    checker.require(good, key, std::move(text), std::move(others));
  };
  const OnNonFinite action = recipe.train.on_non_finite;
  require(
      action == OnNonFinite::kStop || can_skip,
      "train.on_non_finite",
      fmt::format(
          "{} needs gradients that reach all workers in the step that they "
          "are of, and of which nothing is kept: dist.sync.mode: allreduce, "
          "and a dist.compress other than powersgd and topk",
          name_of(action)));
  require(
      !recipe.train.on_spike.active() || can_skip,
      "train.on_spike.factor",
      "a spike changes no weight, which needs gradients that reach all "
      "workers in the step that they are of, and of which nothing is kept: "
      "dist.sync.mode: allreduce, and a dist.compress other than powersgd and "
      "topk");
  require(
      recipe.train.precision != Precision::kFp16 || can_skip,
      "train.precision",
      "fp16 scales the loss, and workers can agree on a scale only by "
      "gradients that reach all of them in the step that they are of, and "
      "of which nothing is kept: use bf16 or fp32, or dist.sync.mode: "
      "allreduce with a dist.compress other than powersgd and topk");
  return checker.take();
}

} // namespace vitrain::config
