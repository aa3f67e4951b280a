#include "verbs/find_lr.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "core/text.h"
#include "logging/banner.h"
#include "logging/console.h"
#include "report/terminal/plot.h"

namespace vitrain::verbs {
namespace {

constexpr double kLowest = 1e-6;
constexpr double kHighest = 10.0;
constexpr double kForget = 0.9;
constexpr double kDiverged = 2.0; // the curve ends above 2 * its minimum
// Least fall of the means, relative to the first; less is noise.
constexpr double kFall = 0.02;
// Number of first means to ignore, since they average few losses.
constexpr std::size_t kUnsteady = 10;
constexpr double kPointsPerDecade = 1000.0; // steps of the plot per tenfold lr

std::vector<LossAt> smoothed(const std::vector<LossAt>& losses) {
  std::vector<LossAt> means;
  double mean = 0.0;
  double weight = 0.0;
  double least = 0.0;
  for (const LossAt& one : losses) {
    mean = kForget * mean + (1.0 - kForget) * one.loss;
    weight = kForget * weight + (1.0 - kForget);
    const double now = mean / weight;
    if (!std::isfinite(now) || (!means.empty() && now > kDiverged * least)) {
      break;
    }
    least = means.empty() ? now : std::min(least, now);
    means.push_back({one.lr, now});
  }
  return means;
}

config::Recipe range_recipe(
    const Subject& subject,
    const TrialFolder& folder,
    std::int64_t steps) {
  config::Recipe recipe =
      trial_recipe(subject.recipe, folder, steps, /*eval_batches=*/0);
  recipe.run.epochs = 1000000;
  recipe.run.max_steps = steps;
  recipe.run.stop_after.reset();
  recipe.eval.batches = 1; // shortens the evaluation at the end of the run
  recipe.schedule = {};
  recipe.schedule.name = config::ScheduleKind::kRangeTest;
  recipe.schedule.warmup_lr = kLowest;
  recipe.optim.lr = kHighest;
  recipe.train.prune = {}; // pruning could begin after `steps`
  recipe.train.on_non_finite = config::OnNonFinite::kStop;
  recipe.train.on_spike = {};
  return recipe;
}

std::vector<LossAt> losses_of(const job::RunDirectory& run) {
  std::vector<LossAt> losses;
  for (const Json& record : records_of(run)) {
    if (record.value("kind", "") == "train" && record["loss"].is_number()) {
      losses.push_back({record.value("lr", 0.0), record.value("loss", 0.0)});
    }
  }
  return losses;
}

void show(const Subject& subject, const RangeTest& test) {
  report::Curve curve;
  for (const LossAt& one : test.smooth) {
    curve.add(std::llround(kPointsPerDecade * std::log10(one.lr)), one.loss);
  }
  // The recipe's rate is scaled by the global batch, so undo that for the
  // suggestion.
  const double scale = subject.recipe.optim.lr > 0.0
      ? subject.plan.lr / subject.recipe.optim.lr
      : 1.0;
  const auto rate = [&](double lr) {
    return fmt::format("{:.2g}", lr / scale);
  };
  const bool found = test.steepest && test.before_lowest;
  const logging::BannerSection section{
      {"suggested",
       found ? fmt::format(
                   "optim.lr between {} and {}: a tenth of where the loss is "
                   "least, and where it falls fastest",
                   rate(std::min(*test.steepest, *test.before_lowest)),
                   rate(std::max(*test.steepest, *test.before_lowest)))
             : "nothing: the loss does not fall; try more steps, as -find_lr "
               "300"},
      {"recipe", fmt::format("optim.lr: {:.2g}", subject.recipe.optim.lr)},
      {"scaled",
       scale == 1.0 ? ""
                    : fmt::format(
                          "schedule.scale makes {:.4g} times as much of it; "
                          "the plot has that",
                          scale)}};
  logging::Console console({.log_fd = -1, .terminal_fd = 1});
  console.print([&](const logging::TerminalStyle& style) {
    return report::plot(
               "loss",
               {{.curve = &curve, .label = "training, smoothed"}},
               {.style = style,
                .rows = 12,
                .steps_per_unit = kPointsPerDecade,
                .unit = "log10 of the learning rate"}) +
        "\n" + logging::sections_text({section}, style);
  });
}

} // namespace

RangeTest read_range_test(const std::vector<LossAt>& losses) {
  RangeTest test{.smooth = smoothed(losses)};
  const std::vector<LossAt>& means = test.smooth;
  if (means.size() <= kUnsteady + 2) {
    return test;
  }
  const auto least = std::ranges::min_element(means, {}, &LossAt::loss);
  const auto most = std::ranges::max_element(
      means.begin(), std::next(least), {}, &LossAt::loss);
  if (most->loss - least->loss < kFall * std::abs(most->loss)) {
    return test;
  }
  double fastest = 0.0;
  for (std::size_t i = kUnsteady; i + 1 < means.size(); ++i) {
    const double fall = (means[i - 1].loss - means[i + 1].loss) /
        std::log(means[i + 1].lr / means[i - 1].lr);
    if (fall > fastest) {
      fastest = fall;
      test.steepest = means[i].lr;
    }
  }
  test.before_lowest = least->lr / 10.0;
  return test;
}

void find_learning_rate(const Subject& subject, std::int64_t steps) {
  const TrialFolder folder(subject.recipe.run.output);
  std::printf(
      "training %s with a learning rate from %g to %g\n",
      counted(steps, "step").c_str(),
      kLowest,
      kHighest);
  std::fflush(stdout);
  const Ended ended = run_recipe(
      range_recipe(subject, folder, steps), folder, ExitCode::kNonFinite);
  show(subject, read_range_test(losses_of(ended.run)));
}

} // namespace vitrain::verbs
