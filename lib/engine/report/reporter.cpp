#include "engine/report/reporter.h"

#include <limits>

#include "config/schema/writer.h"
#include "core/check.h"
#include "core/enum_names.h"
#include "core/text.h"
#include "report/live_report.h"

namespace vitrain::engine {
namespace {

// Where all steps were skipped there is none.
double mean_of_losses(double sum, double count) {
  return count > 0.0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

Reporter::Reporter(
    const job::Job& job,
    int rank,
    int world,
    const logging::ConsoleOptions& console)
    : job_(job),
      rank_(rank),
      main_(rank == 0),
      alone_(world == 1),
      classes_(config::has_classes(job.recipe.train.loss)),
      console_(console),
      progress_(console_, job.recipe.log.progress) {}

Reporter::~Reporter() = default;

void Reporter::start(
    const std::string& title,
    const std::vector<logging::BannerSection>& sections,
    std::optional<RunLength> length) {
  length_ = length.value_or(RunLength{});
  if (main_) {
    console_.print([&](const logging::TerminalStyle& style) {
      return logging::banner(title, sections, style);
    });
  }
}

void Reporter::open_records(const Json& start) {
  if (!main_) {
    return;
  }
  std::optional<std::int64_t> resumed_step;
  if (start.contains("resumed_step")) {
    resumed_step = start.at("resumed_step").get<std::int64_t>();
  }
  metrics_ = std::make_unique<logging::MetricsLog>(
      job_.run_directory,
      job_.recipe.log,
      resumed_step,
      job_.mode == job::JobMode::kTrain && job_.recipe.train.ema.active());
  metrics_->write(start);
  eval_precision_ = start.at("eval_precision").get<std::string>();
  metrics_->text("config", "```yaml\n" + config::to_yaml(job_.recipe) + "```");
  metrics_->begin(job_.recipe);
  open_report();
}

void Reporter::step_begins() {
  if (!first_step_begin_) {
    first_step_begin_ = job::boot_seconds() - job_.process_start;
  }
}

void Reporter::step_ended(std::int64_t step) {
  if (!first_step_end_) {
    first_step_end_ = job::boot_seconds() - job_.process_start;
  }
  // Before the first report there are no numbers to show.
  if (!main_ || shown_.epochs == 0 || !progress_.wants_update()) {
    return;
  }
  shown_.phase = logging::Phase::kTrain;
  shown_.unsaved = unsaved_;
  shown_.epoch = epoch_of(step);
  shown_.batch = batch_of(step);
  progress_.update(shown_);
}

std::int64_t Reporter::epoch_of(std::int64_t step) const {
  return length_.steps_per_epoch > 0 ? (step - 1) / length_.steps_per_epoch + 1
                                     : 0;
}

std::int64_t Reporter::batch_of(std::int64_t step) const {
  if (length_.steps_per_epoch == 0) {
    return 0;
  }
  const bool from_zero = job_.recipe.log.count == config::LogCount::kEpoch;
  return (step - 1) % length_.steps_per_epoch + (from_zero ? 0 : 1);
}

void Reporter::own_train(const TrainReport& report) {
  const OwnReport& own = report.own;
  logging::ProgressState state{
      .epoch = report.epoch,
      .epochs = length_.epochs,
      .batch = batch_of(report.step),
      .batches = length_.steps_per_epoch,
      .loss = mean_of_losses(own.loss_sum, static_cast<double>(own.count)),
      .images_per_second = static_cast<double>(own.count) / own.seconds,
      .data_wait = own.data_wait,
      .comm_bytes = own.comm_bytes,
      .comm_wait = own.comm_wait};
  if (classes_ && own.count > 0) {
    state.top1 = 100.0 * static_cast<double>(own.correct1) /
        static_cast<double>(own.count);
  }
  const std::string line = logging::worker_line(rank_, own.count, state);
  // Rank 0's terminal shows all workers together; with every rank's lines there
  // its own is one of them.
  if (main_ && job_.recipe.log.ranks == config::LogRanks::kMain) {
    console_.log(line);
  } else {
    console_.info(line);
  }
}

void Reporter::train(const TrainReport& report) {
  if (!alone_ && job_.recipe.log.progress != config::ProgressKind::kOff) {
    own_train(report);
  }
  if (!main_) {
    return;
  }
  const auto count = static_cast<double>(report.count);
  const double speed = count / report.seconds;
  const double step_seconds =
      report.seconds / static_cast<double>(report.steps);
  train_seconds_ += report.seconds;
  train_samples_ += count;
  shown_ = {
      .phase = logging::Phase::kTrain,
      .epoch = report.epoch,
      .epochs = length_.epochs,
      .batch = batch_of(report.step),
      .batches = length_.steps_per_epoch,
      .loss = mean_of_losses(report.loss_sum, count),
      .lr = report.lr,
      .images_per_second = speed,
      .data_wait = report.data_wait,
      .comm_bytes = report.comm_bytes,
      .comm_wait = report.comm_seconds / step_seconds,
      .bad_samples = report.bad_samples,
      .unsaved = unsaved_,
      .eta_seconds = step_seconds *
          static_cast<double>(length_.total_steps - report.step)};
  if (classes_) {
    shown_.top1 = 100.0 * static_cast<double>(report.correct1) / count;
    shown_.top5 = 100.0 * static_cast<double>(report.correct5) / count;
  }
  if (report.stale.updates > 0) {
    shown_.staleness = {
        static_cast<double>(report.stale.sum) /
            static_cast<double>(report.stale.updates),
        report.stale.largest};
  }
  progress_.milestone(shown_);
  Json record{
      {"kind", "train"},
      {"step", report.step},
      {"epoch", report.epoch},
      {"batch", batch_of(report.step)},
      {"loss", shown_.loss},
      {"count", report.count},
      {"lr", report.lr},
      {"step_seconds", step_seconds},
      {"images_per_second", speed},
      {"data_wait", report.data_wait},
      {"comm_bytes", report.comm_bytes},
      {"comm_seconds", report.comm_seconds},
      {"comm_busy_seconds", report.comm_busy_seconds},
      {"comm_wait", shown_.comm_wait},
      {"grad_norm", report.grad_norm},
      {"samples_hash", report.samples_hash}};
  if (report.dropped > 0) {
    record["dropped_updates"] = report.dropped;
  }
  if (report.stale.updates > 0) {
    record["staleness_mean"] = static_cast<double>(report.stale.sum) /
        static_cast<double>(report.stale.updates);
    record["staleness_largest"] = report.stale.largest;
  }
  bad_samples_ = report.bad_samples;
  if (report.bad_samples > 0) {
    record["replaced"] = report.replaced;
    record["bad_samples"] = report.bad_samples;
  }
  if (report.image_warnings > 0) {
    record["image_warnings"] = report.image_warnings;
  }
  if (classes_) {
    record["top1"] = *shown_.top1;
    record["top5"] = *shown_.top5;
  }
  if (first_step_end_ && first_step_begin_ && *first_step_begin_ >= 0) {
    record["start_begin_seconds"] = *first_step_begin_;
    record["start_end_seconds"] = *first_step_end_;
    first_step_begin_ = -1.0; // told once
  }
  metrics_->write(record);
}

void Reporter::bad_samples(const BadSamples::Gathered& gathered) {
  if (main_) {
    console_.warn(fmt::format(
        "{} training sample{} cannot be read and {} replaced ({} so far, "
        "listed "
        "in bad_samples.jsonl). The last one is {}",
        with_commas(gathered.found),
        gathered.found == 1 ? "" : "s",
        gathered.found == 1 ? "is" : "are",
        with_commas(gathered.total),
        gathered.example));
  }
}

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
    last_eval_ = counts;
  }
  best_ = best;
  if (!main_) {
    return;
  }
  progress_.clear();
  const bool is_best = found.judged && best && best->step == step;
  console_.info(eval_line(step, found) + (is_best ? "  (best so far)" : ""));
  if (counts.non_finite > 0) {
    console_.warn(fmt::format(
        "the loss of {} of {} evaluation samples is not finite",
        with_commas(counts.non_finite),
        with_commas(counts.count)));
  }
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
    if (classes_ || !metric.of_classes) {
      record[std::string(metric.name)] = counts.value(metric.value);
    }
  }
  if (classes_) {
    record["correct1"] = counts.correct1;
    record["correct5"] = counts.correct5;
  }
  metrics_->write(record);
  if (report_) {
    report_->update();
  }
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
  std::string rest;
  for (const MetricInfo& metric : kMetrics) {
    if (metric.of_classes && !classes_) {
      continue;
    }
    (metric.of_classes ? line : rest) +=
        "  " + metric_text(metric, counts.value(metric.value));
    if (metric.value == Metric::kTop1) {
      line += fmt::format(
          " ({} of {})",
          with_commas(counts.correct1),
          with_commas(counts.count));
    }
  }
  return fmt::format("{}{}  in {}", line, rest, human_seconds(found.seconds));
}

void Reporter::resumed(std::int64_t step) {
  if (main_) {
    console_.info(fmt::format(
        "continuing after step {} from {}",
        with_commas(step),
        printable(job_.resume)));
  }
}

void Reporter::saved(
    std::int64_t step,
    const std::string& path,
    double seconds) {
  checkpoint_ = path;
  if (!main_) {
    return;
  }
  progress_.clear();
  console_.log(fmt::format(
      "saved {} in {:.2f} s", printable(shown_path(path)), seconds));
  metrics_->write(
      {{"kind", "checkpoint"},
       {"step", step},
       {"epoch", epoch_of(step)},
       {"path", printable(path)},
       {"seconds", seconds}});
}

void Reporter::finish(
    ExitCode code,
    const std::string& outcome,
    std::int64_t step,
    std::int64_t memory) {
  if (!main_) {
    return;
  }
  progress_.clear();
  logging::Closing end{
      .outcome = outcome,
      .failed = code == ExitCode::kWorkerDied,
      .seconds = watch_.seconds(),
      .steps = step,
      .total_steps = length_.total_steps,
      .epochs = epoch_of(step),
      .epoch_steps = length_.steps_per_epoch,
      .images_per_second =
          train_seconds_ > 0 ? train_samples_ / train_seconds_ : 0.0,
      .folder = keeps_folder() ? shown_path(job_.run_directory) : ""};
  if (last_eval_) {
    end.last = logging::Reached{
        .loss = last_eval_->value(Metric::kLoss), .count = last_eval_->count};
    if (classes_) {
      end.last->correct1 = last_eval_->correct1;
      end.last->correct5 = last_eval_->correct5;
    }
  }
  const MetricInfo& metric = info_of(job_.recipe.checkpoint.metric);
  Json best = nullptr;
  if (best_ && best_->step >= 0) {
    end.best = fmt::format(
        "{} at epoch {} (step {})",
        metric_text(metric, best_->value),
        epoch_of(best_->step),
        with_commas(best_->step));
    best = {
        {"metric", metric.name},
        {"value", best_->value},
        {"step", best_->step}};
  }
  if (checkpoint_) {
    end.checkpoint = shown_path(*checkpoint_);
  }
  metrics_->write(
      {{"kind", "done"},
       {"step", step},
       {"exit", static_cast<int>(code)},
       {"seconds", watch_.seconds()},
       {"memory_bytes", memory},
       {"best", best}});
  end_report();
  end.problems = problems();
  console_.print([&](const logging::TerminalStyle& style) {
    return logging::closing(end, style);
  });
}

} // namespace vitrain::engine
