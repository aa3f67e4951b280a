#include "verbs/trial.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "core/check.h"
#include "core/text.h"
#include "launch/devices/memory.h"
#include "logging/banner.h"
#include "logging/console.h"

namespace vitrain::verbs {
namespace {

constexpr double kSearchSeconds = 300.0;
// The rest of the memory is left for other programs.
constexpr double kShareOfMemory = 0.9;

void say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

// Returns how often something is done in a run at the interval `every` and at
// the run's end; at most once per step.
double times_of(const config::Interval& every, const config::Plan& plan) {
  const bool at_end = every.due(plan.timeline, plan.total_steps);
  return static_cast<double>(std::min(
      every.times(plan.timeline, plan.total_steps) + (at_end ? 0 : 1),
      plan.total_steps));
}

// Returns the bytes that each worker may use: its part of kShareOfMemory of the
// machine's available memory. nullopt if that is unknown, and for GPUs, where
// running out of memory is harmless.
std::optional<std::int64_t> memory_limit(const Subject& subject) {
  const auto available = launch::available_memory();
  if (subject.cuda || !available) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(
      kShareOfMemory * static_cast<double>(*available) / subject.workers);
}

// Runs one step with the recipe's batch size and prints the result. Returns the
// peak bytes of rank 0; nullopt if memory was exhausted.
std::optional<std::int64_t> try_batch(
    const config::Recipe& recipe,
    const TrialFolder& folder) {
  const std::string batch = with_commas(recipe.data.batch_size);
  const TrialFolder own(folder.path());
  const Measured measured = run_trial(
      trial_recipe(recipe, own, /*steps=*/1, /*eval_batches=*/0), own);
  if (measured.ending == ExitCode::kOutOfMemory) {
    say(fmt::format("  batch of {}: does not fit", batch));
    return std::nullopt;
  }
  say(fmt::format(
      "  batch of {}: {}",
      batch,
      human_bytes(static_cast<double>(measured.memory))));
  return measured.memory;
}

// Returns the samples per device, in the stage that is tried if
// data.augment.stages change them.
std::int64_t planned_batch(const Subject& subject) {
  return config::plan_batch(subject.recipe, subject.plan.devices())
      .device_batch;
}

BatchFound search_batch(const Subject& subject, const TrialFolder& folder) {
  const auto memory = memory_limit(subject);
  if (!subject.cuda && !memory) {
    return {}; // running out of memory could end other programs
  }
  const config::Plan& plan = subject.plan;
  const BatchLimits limits{
      .largest = std::max<std::int64_t>(
          1, subject.epoch_samples / (plan.devices() * plan.accumulate)),
      .memory = memory,
      .seconds = kSearchSeconds};
  return search_largest_batch(
      planned_batch(subject), limits, [&](std::int64_t batch) {
        config::Recipe recipe = subject.recipe;
        recipe.data.batch_mode = config::BatchMode::kPerDevice;
        recipe.data.batch_size = batch;
        recipe.data.eval_batch_size = plan.eval_batch;
        // A larger batch shortens the run, perhaps below the lengths that these
        // keys need.
        recipe.schedule = {};
        recipe.train.prune = {};
        return try_batch(recipe, folder);
      });
}

std::string batch_text(const Subject& subject, const BatchFound& found) {
  if (found.trials == 0) {
    return "";
  }
  if (found.fits == 0) {
    return "not even one sample for each device fits";
  }
  std::string text = fmt::format(
      "{} for each device fit ({} are planned)",
      counted(found.fits, "sample"),
      with_commas(planned_batch(subject)));
  if (found.too_large > 0) {
    text += fmt::format(", {} do not", with_commas(found.too_large));
  } else if (!found.out_of_time && found.problem.empty()) {
    text += ": all that an epoch has";
  }
  if (!found.problem.empty()) {
    text += fmt::format("; the search ended: {}", found.problem);
  }
  if (found.out_of_time) {
    text += fmt::format(
        "; the search ended after {}", human_seconds(kSearchSeconds));
  }
  return text;
}

std::string memory_text(const Subject& subject, const Measured& measured) {
  if (measured.memory == 0) {
    return "";
  }
  std::string text = fmt::format(
      "{} in rank 0 at its largest",
      human_bytes(static_cast<double>(measured.memory)));
  if (const auto left = launch::available_memory(); left && !subject.cuda) {
    text += fmt::format(
        "; the machine has {} for {}",
        human_bytes(static_cast<double>(*left)),
        counted(subject.workers, "worker"));
  }
  return text;
}

logging::BannerSection section_of(
    const Subject& subject,
    const Measured& measured) {
  const Forecast whole = forecast(subject.plan, measured);
  const auto batch = static_cast<double>(measured.global_batch);
  return {
      {"devices", subject.devices},
      {"start",
       human_seconds(measured.first_step) + " to the first step's end"},
      {"speed",
       fmt::format(
           "{:.1f} images/s, {:.0f} ms for a step of {}",
           batch / measured.step_seconds,
           1e3 * measured.step_seconds,
           with_commas(measured.global_batch))},
      {"memory", memory_text(subject, measured)},
      {"evaluation",
       fmt::format(
           "{} in {:.1f} s, so all {} in {}",
           counted(measured.evaluated, "sample"),
           measured.eval_seconds,
           with_commas(subject.plan.eval_samples),
           human_seconds(
               measured.eval_seconds *
               static_cast<double>(subject.plan.eval_samples) /
               static_cast<double>(
                   std::max<std::int64_t>(1, measured.evaluated))))},
      {"checkpoint",
       fmt::format(
           "{} in {:.2f} s",
           human_bytes(static_cast<double>(measured.checkpoint_bytes)),
           measured.save_seconds)},
      {"whole run",
       fmt::format(
           "{} in about {}: training {}, evaluations {}, checkpoints {}",
           counted(subject.plan.total_steps, "step"),
           human_seconds(whole.total()),
           human_seconds(whole.training),
           human_seconds(whole.evaluation),
           human_seconds(whole.checkpoints))}};
}

} // namespace

Forecast forecast(const config::Plan& plan, const Measured& measured) {
  const double evaluations = times_of(plan.eval_every, plan);
  const double share = measured.evaluated > 0
      ? static_cast<double>(plan.eval_samples) /
          static_cast<double>(measured.evaluated)
      : 0.0;
  const double training = measured.first_step +
      measured.step_seconds * static_cast<double>(plan.total_steps);
  const double seconds = plan.checkpoint_every.seconds;
  const double saves = seconds > 0.0 ? std::floor(training / seconds) + 1.0
                                     : times_of(plan.checkpoint_every, plan);
  return {
      .training = training,
      .evaluation = measured.eval_seconds * share * evaluations,
      .checkpoints = measured.save_seconds * saves};
}

void try_recipe(const Subject& subject, std::int64_t steps) {
  VITRAIN_CHECK(
      2 * steps <= subject.plan.total_steps,
      ExitCode::kUsage,
      "-try {0} makes {0} steps, and {0} more after resuming, and the whole "
      "run has {1}: try fewer",
      steps,
      subject.plan.total_steps);
  const TrialFolder folder(subject.recipe.run.output);
  const config::Recipe recipe =
      trial_recipe(subject.recipe, folder, steps, steps);
  say(fmt::format(
      "trying {}, an evaluation of as many batches and a checkpoint",
      counted(steps, "step")));
  const Measured first = run_trial(recipe, folder);
  VITRAIN_CHECK(
      first.ending != ExitCode::kOutOfMemory,
      ExitCode::kOutOfMemory,
      "a batch of {} for each device does not fit into memory: lower "
      "data.batch_size and raise train.accumulate, or set train.recompute",
      planned_batch(subject));
  say("trying to resume from it");
  const Measured second = run_trial(recipe, folder, /*resumes=*/true);
  VITRAIN_CHECK(
      second.resumed_step == steps && second.step == 2 * steps,
      ExitCode::kInternal,
      "the trial was to go on after step {} to step {}, and went from {} to {}",
      steps,
      2 * steps,
      second.resumed_step.value_or(0),
      second.step);
  Measured both = second;
  both.memory = std::max(first.memory, second.memory);
  say("trying batches");
  const BatchFound batch = search_batch(subject, folder);
  logging::BannerSection section = section_of(subject, both);
  section.push_back({"batch", batch_text(subject, batch)});
  logging::Console console({.log_fd = -1, .terminal_fd = 1});
  console.print([&](const logging::TerminalStyle& style) {
    return logging::banner(
        "everything worked: training, evaluation, checkpoint, resuming",
        {section},
        style);
  });
}

} // namespace vitrain::verbs
