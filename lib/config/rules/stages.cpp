#include "config/rules/stages.h"

#include <utility>

#include <fmt/format.h>

#include "config/rules/augment_rules.h"
#include "config/rules/dist_rules.h"
#include "config/rules/mix_rules.h"
#include "config/sections/augment_stage.h"

namespace vitrain::config {
namespace {

constexpr const char* kKey = "data.augment.stages";

} // namespace

Recipe recipe_in_epoch(const Recipe& recipe, std::int64_t epoch) {
  Recipe result = recipe;
  for (const std::string& stage : recipe.data.augment.stages) {
    Recipe changed = result;
    if (take_augment_stage(stage, changed) <= epoch) {
      result = std::move(changed);
    }
  }
  return result;
}

std::vector<std::int64_t> stage_epochs(const Recipe& recipe) {
  std::vector<std::int64_t> epochs{1};
  Recipe unused;
  for (const std::string& stage : recipe.data.augment.stages) {
    epochs.push_back(take_augment_stage(stage, unused));
  }
  return epochs;
}

namespace {

std::vector<Finding> check_order(const Recipe& recipe) {
  Checker checker;
  const std::vector<std::int64_t> epochs = stage_epochs(recipe);
  for (std::size_t i = 1; i < epochs.size(); ++i) {
    checker.require(
        epochs[i] > epochs[i - 1],
        kKey,
        fmt::format(
            "a stage begins with epoch {}, and the one before it with {}: name "
            "them in order",
            epochs[i],
            epochs[i - 1]));
    checker.require(
        epochs[i] <= recipe.run.epochs,
        kKey,
        fmt::format(
            "a stage begins with epoch {}, and the run has {}",
            epochs[i],
            recipe.run.epochs),
        {"run.epochs"});
  }
  return checker.take();
}

} // namespace

namespace {

std::vector<Finding> check_batch(const Recipe& recipe, std::int64_t workers) {
  const DataConfig& data = recipe.data;
  if (data.batch_mode != BatchMode::kGlobal || workers == kWorkersUnknown ||
      shares_may_differ(recipe) || data.batch_size % workers == 0) {
    return {};
  }
  const std::int64_t below = data.batch_size / workers * workers;
  const std::string nearest = below == 0
      ? fmt::format("{}", below + workers)
      : fmt::format("{} or {}", below, below + workers);
  return {
      {"data.batch_size",
       fmt::format(
           "{} with batch_mode: global is shared by {} workers and must be a "
           "multiple of {}: the nearest is {}",
           data.batch_size,
           workers,
           workers,
           nearest),
       {"data.batch_mode", "devices", "dist.mode", "train.accumulate"}}};
}

} // namespace

std::vector<Finding> check_image_changes(
    const Recipe& recipe,
    const CheckContext& context) {
  const auto check = [&](const Recipe& stage) {
    Checker checker;
    checker.add(check_augment(stage));
    checker.add(check_mixing(stage, context));
    checker.add(check_batch(stage, context.workers));
    return checker.take();
  };
  Checker checker;
  checker.add(check(recipe));
  checker.add(check_order(recipe));
  checker.add(check_stages(recipe, check));
  return checker.take();
}

std::vector<Finding> check_stages(
    const Recipe& recipe,
    const std::function<std::vector<Finding>(const Recipe&)>& check) {
  std::vector<Finding> findings;
  for (const std::int64_t epoch : stage_epochs(recipe)) {
    if (epoch == 1) {
      continue;
    }
    for (Finding& found : check(recipe_in_epoch(recipe, epoch))) {
      found.text =
          fmt::format("from epoch {}: {} {}", epoch, found.key, found.text);
      found.others.push_back(std::exchange(found.key, kKey));
      findings.push_back(std::move(found));
    }
  }
  return findings;
}

} // namespace vitrain::config
