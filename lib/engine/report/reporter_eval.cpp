// Member functions of Reporter about evaluations.

#include <utility>

#include "core/text.h"
#include "engine/report/reporter.h"
#include "report/page/live_report.h"

#include <fmt/format.h>

namespace vitrain::engine {
namespace {

void add_counts(
    Json& record,
    const Evaluated& found,
    bool classes,
    const config::EvalConfig& eval) {
  const EvalCounts& counts = found.counts;
  if (classes) {
    record["correct1"] = counts.correct1;
    record["correct5"] = counts.correct5;
  }
  if (eval.real_labels) {
    record["real_count"] = counts.real_count;
    record["real_correct"] = counts.real_correct;
  }
  if (counts.clipped > 0) {
    record["clipped_images"] = counts.clipped;
  }
  if (found.subset > 0) {
    record["subset"] = found.subset;
  }
}

} // namespace

void Reporter::evaluating(std::int64_t done, std::int64_t batches) {
  if (!main_ || !progress_.wants_update()) {
    return;
  }
  logging::ProgressState state = shown_;
  state.phase = logging::Phase::kEval;
  state.batch = done;
  state.batches = batches;
  state.eta_seconds = -1.0;
  progress_.update(state);
}

void Reporter::evaluated(
    std::int64_t step,
    const Evaluated& found,
    const std::optional<job::Best>& best) {
  const EvalCounts& counts = found.counts;
  if (found.judged) {
    last_eval_ = found;
  }
  best_ = best;
  if (!main_) {
    return;
  }
  progress_.clear();
  const bool is_best = found.judged && best && best->step == step;
  const std::string line =
      eval_line(step, found) + (is_best ? "  (best so far)" : "");
  if (ends_epoch(step)) { // the epoch's line follows
    console_.log(line);
    add_to_epoch(found, is_best);
  } else {
    console_.info(line);
  }
  if (counts.non_finite > 0) {
    console_.warn(fmt::format(
        "the loss of {} of {} evaluation samples is not finite",
        with_commas(counts.non_finite),
        with_commas(counts.count)));
  }
  add_clipped(counts.clipped, "evaluation images");
  Json record{
      {"kind", "eval"},
      {"step", step},
      {"epoch", epoch_of(step)},
      {"weights", found.weights},
      {"precision", eval_precision_},
      {"count", counts.count},
      {"non_finite", counts.non_finite},
      {"seconds", found.seconds}};
  for (const MetricInfo& metric : kMetrics) {
    if (tells(metric)) {
      record[std::string(metric.name)] = counts.value(metric.value);
    }
  }
  add_counts(record, found, classes_, job_.recipe.eval);
  records().write(record);
  if (report_) {
    report_->update();
  }
}

bool Reporter::ends_epoch(std::int64_t step) const {
  return progress_.keeps_epochs() && first_step_begin_ &&
      !length_.timeline.empty() && length_.timeline.step_in_epoch(step) == 0;
}

void Reporter::add_to_epoch(const Evaluated& found, bool best) {
  if (!found.judged) {
    return;
  }
  const auto value_of = [&](Metric metric) {
    return shows(info_of(metric), found)
        ? std::optional(found.counts.value(metric))
        : std::nullopt;
  };
  epoch_.eval_loss = value_of(Metric::kLoss);
  epoch_.top1 = value_of(Metric::kTop1);
  epoch_.top5 = value_of(Metric::kTop5);
  epoch_.map = value_of(Metric::kMap);
  epoch_.best = best;
}

void Reporter::epoch_ended(std::int64_t step, double lr) {
  if (!main_ || !ends_epoch(step)) {
    return;
  }
  epoch_.epoch = epoch_of(step);
  epoch_.epochs = length_.epochs;
  epoch_.lr = lr;
  epoch_.seconds = epoch_watch_.restart();
  // A report may span the end of an epoch; the sums then cover other steps than
  // this epoch's.
  if (epoch_samples_ > 0.0 && sums_begin_ == epoch_begin_ &&
      sums_end_ == step) {
    epoch_.loss = epoch_loss_ / epoch_samples_;
  }
  progress_.clear();
  console_.show([&](const logging::TerminalStyle& style) {
    return logging::epoch_line(epoch_, style);
  });
  epoch_ = {};
  epoch_begin_ = step;
  epoch_loss_ = 0.0;
  epoch_samples_ = 0.0;
}

bool Reporter::shows(const MetricInfo& metric, const Evaluated& found) const {
  const bool top5 =
      found.subset > 0 ? found.subset >= kTop5Choices : shows_top5_;
  return tells(metric) && (top5 || metric.value != Metric::kTop5);
}

bool Reporter::tells(const MetricInfo& metric) const {
  if (metric.of_label_lists) {
    return job_.recipe.data.eval.multi_label;
  }
  return (classes_ || !metric.of_classes) &&
      (!metric.of_real_labels || job_.recipe.eval.real_labels);
}

std::string Reporter::eval_line(std::int64_t step, const Evaluated& found)
    const {
  const EvalCounts& counts = found.counts;
  std::string line = length_.total_steps > 0
      ? fmt::format("epoch {}/{}  eval", epoch_of(step), length_.epochs)
      : "eval";
  if (job_.recipe.train.ema.active() && length_.total_steps > 0) {
    line += fmt::format(" {}", found.weights);
  }
  if (found.subset > 0) {
    line += fmt::format(" of {} classes", with_commas(found.subset));
  }
  std::string rest;
  for (const MetricInfo& metric : kMetrics) {
    if (!shows(metric, found)) {
      continue;
    }
    (metric.of_classes ? line : rest) +=
        "  " + metric_text(metric, counts.value(metric.value));
    if (metric.value == Metric::kTop1) {
      line += fmt::format(
          " ({} of {})",
          with_commas(counts.correct1),
          with_commas(counts.count));
    } else if (metric.of_real_labels) {
      line += fmt::format(" (of {})", with_commas(counts.real_count));
    }
  }
  return fmt::format("{}{}  in {}", line, rest, human_seconds(found.seconds));
}

} // namespace vitrain::engine
