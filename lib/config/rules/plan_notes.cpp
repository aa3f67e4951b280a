#include "config/rules/plan_notes.h"

#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "config/rules/dist_rules.h"
#include "config/schema/group_rule.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Returns a note if the learning rate is below the end of its schedule;
// otherwise "". A cooldown alone does not raise the rate.
std::string rising_rate(const Recipe& recipe, const Plan& plan) {
  ScheduleConfig schedule = recipe.schedule;
  schedule.cooldown.value = 0.0;
  if (!schedule.has_min_lr() || plan.lr >= plan.min_lr) {
    return "";
  }
  return fmt::format(
      "warning: the learning rate rises: optim.lr is {}, less than "
      "schedule.min_lr, {:.6g}, to which the {} goes. Lower "
      "schedule.min_lr{}",
      plan.lr_text,
      plan.min_lr,
      name_of(recipe.schedule.name),
      recipe.schedule.scale.rule == ScaleRule::kNone
          ? ""
          : ", or name min_lr in schedule.scale.apply_to");
}

// Returns the first step before the end at which `every` is due and `fits` is
// false; nullopt if there is none. `regular`: all due steps are multiples of
// the first, so only the first is checked.
template <typename Predicate>
std::optional<std::int64_t> first_unfit(
    const Interval& every,
    const Plan& plan,
    bool regular,
    const Predicate& fits) {
  for (std::int64_t step = every.next(plan.timeline, 0);
       step < plan.total_steps;
       step = every.next(plan.timeline, step)) {
    if (!fits(step)) {
      return step;
    }
    if (regular) {
      break;
    }
  }
  return std::nullopt;
}

// Returns "every 3 steps (eval.every) and a checkpoint every 8
// (checkpoint.every) meet every 24 steps"; unless `regular`, says after which
// step they first do not meet.
std::string meetings(
    const Recipe& recipe,
    const Plan& plan,
    bool regular,
    std::int64_t alone) {
  if (!regular) {
    return fmt::format(
        "every {} (eval.every) and a checkpoint every {} (checkpoint.every) do "
        "not always meet, for the first time after step {}",
        recipe.eval.every.text(),
        recipe.checkpoint.every.text(),
        with_commas(alone));
  }
  const std::int64_t eval_every = plan.eval_every.steps;
  const std::int64_t checkpoint_every = plan.checkpoint_every.steps;
  const std::int64_t common = std::lcm(eval_every, checkpoint_every);
  return fmt::format(
      "every {} steps (eval.every) and a checkpoint every {} "
      "(checkpoint.every) meet {}",
      with_commas(eval_every),
      with_commas(checkpoint_every),
      common < plan.total_steps
          ? fmt::format("every {} steps", with_commas(common))
          : "at the end only");
}

// Returns a note if there are evaluations without a checkpoint, one of which
// may be the best; otherwise "".
std::string best_without_checkpoint(const Recipe& recipe, const Plan& plan) {
  if (recipe.checkpoint.keep_best == 0) {
    return "";
  }
  const bool regular = plan.eval_every.epochs == 0.0 &&
      plan.checkpoint_every.steps > 0 && plan.checkpoint_every.epochs == 0.0;
  const auto alone =
      first_unfit(plan.eval_every, plan, regular, [&](std::int64_t step) {
        return plan.checkpoint_every.due(plan.timeline, step);
      });
  if (!alone) {
    return "";
  }
  return fmt::format(
      "note: an evaluation {}: checkpoints/best is the best of the checkpoints "
      "that were evaluated, and the best evaluation may have none. With equal "
      "intervals it has one",
      meetings(recipe, plan, regular, *alone));
}

// Returns a note if diloco makes outer steps at evaluations or checkpoints that
// are not multiples of dist.sync.period; otherwise "".
std::string further_outer_steps(const Recipe& recipe, const Plan& plan) {
  const std::int64_t period = recipe.dist.sync.period;
  if (recipe.dist.mode != DistMode::kProcesses ||
      recipe.dist.sync.mode != SyncMode::kDiloco) {
    return "";
  }
  const auto between = [&](const char* key,
                           const Interval& every,
                           const Duration& set) {
    if (every.seconds > 0.0) {
      return fmt::format("{}: {}", key, set.text());
    }
    const bool regular = every.epochs == 0.0;
    const auto step =
        first_unfit(every, plan, regular, [&](std::int64_t after) {
          return after % period == 0;
        });
    if (!step) {
      return std::string();
    }
    return regular
        ? fmt::format("{}: {} steps", key, with_commas(every.steps))
        : fmt::format("{}: {} (step {})", key, set.text(), with_commas(*step));
  };
  const std::string evaluations =
      between("eval.every", plan.eval_every, recipe.eval.every);
  const std::string checkpoints = between(
      "checkpoint.every", plan.checkpoint_every, recipe.checkpoint.every);
  if (evaluations.empty() && checkpoints.empty()) {
    return "";
  }
  return fmt::format(
      "note: diloco makes an outer step before every evaluation and "
      "checkpoint, too, and {}{}{} is no multiple of dist.sync.period: {}. "
      "With multiples of it there are those of the period only",
      evaluations,
      evaluations.empty() || checkpoints.empty() ? "" : ", ",
      checkpoints,
      period);
}

// Returns a note if the run ends before `steps`; otherwise "". `then`: the
// consequence.
std::string unreached(
    const char* key,
    const std::string& text,
    std::int64_t steps,
    const Plan& plan,
    const char* then) {
  if (steps <= plan.total_steps) {
    return "";
  }
  return fmt::format(
      "warning: {}: {} is {} steps, more than the whole run of {}: {}",
      key,
      text,
      with_commas(steps),
      with_commas(plan.total_steps),
      then);
}

std::string late_start(const Recipe& recipe, const Plan& plan) {
  const SyncConfig& sync = recipe.dist.sync;
  return sync.traits().averages_from_start
      ? unreached(
            "dist.sync.start",
            sync.start.text(),
            plan.sync_start,
            plan,
            "until then it is dist.sync.mode: allreduce")
      : "";
}

std::string long_period(const Recipe& recipe, const Plan& plan) {
  const SyncConfig& sync = recipe.dist.sync;
  const auto of = [&](const char* key, std::int64_t period) {
    return unreached(
        key,
        std::to_string(period),
        period,
        plan,
        "weights are averaged for evaluations and checkpoints only");
  };
  if (sync.traits().uses_period) {
    return of("dist.sync.period", sync.period);
  }
  return sync.mode == SyncMode::kHierarchicalSgd
      ? of("dist.sync.periods", sync_levels(sync, plan.workers).front().period)
      : "";
}

std::string late_compression(const Recipe& recipe, const Plan& plan) {
  const DistConfig& dist = recipe.dist;
  if (!keeps_errors(dist.compress)) {
    return "";
  }
  const bool top_k = dist.compress == Compress::kTopK;
  return unreached(
      top_k ? "dist.topk.start" : "dist.powersgd.start",
      top_k ? dist.topk.start.text() : dist.powersgd.start.text(),
      top_k ? plan.topk_start : plan.powersgd_start,
      plan,
      "nothing is compressed");
}

std::string late_pruning(const Recipe& recipe, const Plan& plan) {
  const PruneConfig& prune = recipe.train.prune;
  return prune.active() ? unreached(
                              "train.prune.end",
                              prune.end.text(),
                              plan.prune_end,
                              plan,
                              "train.prune.amount is not reached")
                        : "";
}

std::string late_average(const Recipe& recipe, const Plan& plan) {
  const EmaConfig& ema = recipe.train.ema;
  return ema.active() ? unreached(
                            "train.ema.start",
                            ema.start.text(),
                            plan.ema_start,
                            plan,
                            "the average is a copy of the weights to the end")
                      : "";
}

// Returns a note if the average is never updated after its start; otherwise "".
std::string idle_average(const Recipe& recipe, const Plan& plan) {
  const EmaConfig& ema = recipe.train.ema;
  if (!ema.active() || plan.ema_start > plan.total_steps) {
    return "";
  }
  std::int64_t copied = plan.total_steps; // the last step that averages
  if (ema.count == EmaCount::kRun) {
    copied -= copied % ema.every;
  }
  while (copied > 0 && !updates_average(ema, plan.timeline, copied)) {
    --copied;
  }
  if (copied > plan.ema_start) {
    return "";
  }
  return fmt::format(
      "warning: train.ema.every: {}, and the run has {}: no averaging comes "
      "behind train.ema.start, and the average is a copy of {} to the end, "
      "also where it is evaluated",
      counted(ema.every, "step"),
      with_commas(plan.total_steps),
      copied == 0
          ? "the first weights"
          : fmt::format("the weights after step {}", with_commas(copied)));
}

std::string long_lookahead(const Recipe& recipe, const Plan& plan) {
  const auto& every = recipe.optim.lookahead.every;
  return every ? unreached(
                     "optim.lookahead.every",
                     std::to_string(*every),
                     *every,
                     plan,
                     "the weights never go back to the slow ones")
               : "";
}

// Returns a note if no milestone is before the end of the run; otherwise "".
std::string late_milestones(const Recipe& recipe, const Plan& plan) {
  if (recipe.schedule.name != ScheduleKind::kStep || plan.milestones.empty() ||
      plan.milestones.front() < plan.schedule_steps) {
    return "";
  }
  std::vector<std::string> texts;
  for (const Duration& milestone : recipe.schedule.milestones) {
    texts.push_back(milestone.text());
  }
  return fmt::format(
      "warning: schedule.milestones: [{}]: the run ends with step {}, before "
      "the first of them: the learning rate does not drop",
      join(texts, ", "),
      with_commas(plan.total_steps));
}

// Returns a note about the first of optim.groups that starts after the last
// epoch; otherwise "".
std::string late_group(const Recipe& recipe, const Plan& plan) {
  for (const GroupRule& rule : group_rules(recipe.optim.groups)) {
    if (rule.from_epoch > plan.epochs()) {
      return fmt::format(
          "warning: optim.groups: {} is trained from epoch {}, and the run has "
          "{}: it stays as it starts (model.freeze says so)",
          printable(rule.match),
          rule.from_epoch,
          plan.epochs());
    }
  }
  return "";
}

} // namespace

std::vector<std::string> plan_notes(const Recipe& recipe, const Plan& plan) {
  std::vector<std::string> notes{
      rising_rate(recipe, plan),
      late_start(recipe, plan),
      long_period(recipe, plan),
      late_compression(recipe, plan),
      late_pruning(recipe, plan),
      late_average(recipe, plan),
      idle_average(recipe, plan),
      long_lookahead(recipe, plan),
      late_milestones(recipe, plan),
      late_group(recipe, plan),
      best_without_checkpoint(recipe, plan),
      further_outer_steps(recipe, plan)};
  std::erase(notes, "");
  return notes;
}

} // namespace vitrain::config
