#include "config/rules/optim_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/schema/group_rule.h"
#include "core/enum_names.h"

namespace vitrain::config {
namespace {

void check_numbers(const OptimConfig& optim, Checker& checker) {
  const OptimizerRow& row = optim.row();
  const std::string name = name_of(optim.name);
  checker.require(
      row.betas.empty() || !optim.betas ||
          optim.betas->size() == row.betas.size(),
      "optim.betas",
      fmt::format(
          "has {} numbers, and {} takes {}",
          optim.betas ? optim.betas->size() : 0,
          name,
          row.betas.size()),
      {"optim.name"});
  checker.require(
      !row.nesterov || !optim.nesterov || optim.numbers().momentum > 0.0,
      "optim.nesterov",
      "needs optim.momentum > 0",
      {"optim.name", "optim.momentum"});
  checker.require(
      optim.name != OptimKind::kRmsPropTf || !optim.cautious ||
          optim.numbers().momentum > 0.0,
      "optim.cautious",
      "holds rmsprop_tf's momentum against the gradient, and optim.momentum is "
      "0: set it to false",
      {"optim.name", "optim.momentum"});
}

void check_exchange(const Recipe& recipe, Checker& checker) {
  const OptimConfig& optim = recipe.optim;
  const SyncMode mode = recipe.dist.sync.mode;
  const bool workers = recipe.dist.mode == DistMode::kProcesses;
  const std::vector<std::string> others{"dist.mode", "dist.sync.mode"};
  const std::string keeps = fmt::format(
      "{} keeps state for rows and columns of a parameter",
      name_of(optim.name));
  checker.require(
      optim.row().state_per_weight || !recipe.dist.zero1,
      "dist.zero1",
      keeps + ", which is small already and not divided: set it to false",
      {"optim.name"});
  checker.require(
      optim.row().state_per_weight || !workers || mode != SyncMode::kAsyncPs,
      "optim.name",
      keeps + ", which servers of async_ps do not: use another",
      others);
  checker.require(
      !optim.sam || !workers || mode != SyncMode::kHogwild,
      "optim.sam",
      "moves the weights for a moment, and in hogwild all workers have the "
      "same: use another dist.sync.mode",
      others);
  const bool waits =
      std::ranges::any_of(group_rules(optim.groups), [](const GroupRule& rule) {
        return rule.from_epoch > 1 || rule.until_epoch;
      });
  checker.require(
      !waits || !workers || mode != SyncMode::kAsyncPs,
      "optim.groups",
      "from_epoch and until_epoch count epochs, of which servers of async_ps "
      "know nothing: use another dist.sync.mode",
      others);
  checker.require(
      !recipe.schedule.weight_decay.end || !workers ||
          mode != SyncMode::kAsyncPs,
      "schedule.weight_decay.end",
      "changes with the step, of which servers of async_ps know nothing: use "
      "another dist.sync.mode",
      others);
  checker.require(
      !optim.lookahead.every || !workers || mode != SyncMode::kHogwild,
      "optim.lookahead.every",
      "sets the weights back, each worker its own way, and in hogwild all have "
      "the same: use another dist.sync.mode",
      others);
  checker.require(
      !optim.lookahead.buffers || !workers ||
          mode != SyncMode::kDelayedAllreduce || !recipe.dist.sync.predict,
      "optim.lookahead.buffers",
      "cannot follow predicted updates: set dist.sync.predict: false",
      others);
  checker.require(
      !optim.lookahead.changes() || !workers || mode != SyncMode::kAsyncPs,
      "optim.lookahead.every",
      "ramp, buffers and ends_slow go by the steps of the run, of which "
      "servers of async_ps know nothing: use another dist.sync.mode",
      others);
}

// Checks schedule.weight_decay, schedule.drop_path and range_test's start.
void check_strengths(const Recipe& recipe, Checker& checker) {
  const ScheduleConfig& schedule = recipe.schedule;
  checker.require(
      !schedule.weight_decay.end || recipe.optim.weight_decay > 0.0,
      "schedule.weight_decay.end",
      "is reached from optim.weight_decay, which is 0: give it a number to "
      "begin with",
      {"optim.weight_decay"});
  checker.require(
      schedule.name != ScheduleKind::kRangeTest || schedule.warmup_lr > 0.0,
      "schedule.warmup_lr",
      "is where range_test begins to multiply: more than 0",
      {"schedule.name"});
  checker.require(
      schedule.drop_path.shape == DropPathShape::kConstant ||
          recipe.model.drop_path > 0.0,
      "schedule.drop_path.shape",
      "is that of model.drop_path, which is 0: set its rate",
      {"model.drop_path"});
  checker.require(
      !schedule.drop_path.has_cutoff() || schedule.drop_path.cutoff.value > 0.0,
      "schedule.drop_path.cutoff",
      fmt::format(
          "{} needs to know when: set it to a part of the run, as in 50ep",
          name_of(schedule.drop_path.shape)),
      {"schedule.drop_path.shape"});
}

void check_average(const Recipe& recipe, Checker& checker) {
  checker.require(
      recipe.checkpoint.weights != JudgedWeights::kEma ||
          recipe.train.ema.active(),
      "checkpoint.weights",
      "ema needs an average: set train.ema.decay, as 0.9999",
      {"train.ema.decay"});
  checker.require(
      !recipe.train.ema.equal || !recipe.train.ema.decay,
      "train.ema.equal",
      "true counts all weights the same, and train.ema.decay later ones more: "
      "leave one of them out",
      {"train.ema.decay"});
}

} // namespace

std::vector<Finding> check_optim(const Recipe& recipe) {
  Checker checker;
  check_numbers(recipe.optim, checker);
  check_exchange(recipe, checker);
  check_strengths(recipe, checker);
  check_average(recipe, checker);
  return checker.take();
}

} // namespace vitrain::config
