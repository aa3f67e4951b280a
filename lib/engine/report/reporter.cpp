#include "engine/report/reporter.h"

#include <utility>

#include "config/load/writer.h"
#include "core/check.h"
#include "core/enum_names.h"
#include "core/text.h"
#include "data/load/loader.h"
#include "engine/train/bad_samples.h"
#include "report/page/live_report.h"

namespace vitrain::engine {
Reporter::Reporter(
    const job::Job& job,
    int rank,
    int world,
    const logging::ConsoleOptions& console)
    : job_(job),
      rank_(rank),
      main_(rank == 0),
      alone_(world == 1),
      classes_(
          config::has_classes(job.recipe.train.loss) &&
          !job.recipe.data.eval.multi_label),
      console_(console),
      progress_(console_, job.recipe.log.progress) {
  if (main_ && !job.lock.empty()) {
    lease_ = std::make_unique<LockLease>(job.run().lock(), job.lock);
  }
}

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
  hold();
  std::optional<std::int64_t> resumed_step;
  if (start.contains("resumed_step")) {
    resumed_step = start.at("resumed_step").get<std::int64_t>();
  }
  metrics_ = std::make_unique<logging::MetricsLog>(
      job_.run_directory,
      job_.recipe.log,
      resumed_step,
      logging::SummaryColumns{
          .averages = job_.mode == job::JobMode::kTrain &&
              job_.recipe.train.ema.active(),
          .real_labels = job_.recipe.eval.real_labels.has_value(),
          .label_lists = job_.recipe.data.eval.multi_label});
  if (resumed_step) { // records of later steps have just been removed
    add_earlier_time(*resumed_step);
    if (metrics_->lacks_checkpoint()) {
      record_checkpoint(*resumed_step, job_.resume, std::nullopt);
    }
  }
  records().write(start);
  eval_precision_ = start.at("eval_precision").get<std::string>();
  metrics_->text("config", "```yaml\n" + config::to_yaml(job_.recipe) + "```");
  metrics_->begin(job_.recipe);
  open_report();
}

void Reporter::step_begins() {
  if (lease_) {
    lease_->check_seen();
  }
  if (!first_step_begin_) {
    first_step_begin_ = job::boot_seconds() - job_.process_start;
    epoch_watch_.restart();
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
  // Step 0 (before the first step) also belongs to the first epoch.
  return length_.timeline.empty()
      ? 0
      : length_.timeline.epoch_of(std::max<std::int64_t>(step, 1) - 1) + 1;
}

std::int64_t Reporter::batches_at(std::int64_t step) const {
  return length_.timeline.empty()
      ? 0
      : length_.timeline.steps_in(epoch_of(step) - 1);
}

std::int64_t Reporter::batch_of(std::int64_t step) const {
  if (length_.timeline.empty()) {
    return 0;
  }
  const bool from_zero = job_.recipe.log.count == config::LogCount::kEpoch;
  return length_.timeline.step_in_epoch(step - 1) + (from_zero ? 0 : 1);
}

void Reporter::bad_samples(const GatheredBadSamples& gathered) {
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

void Reporter::clipped_images(
    const std::string& what,
    const data::Rows& rows,
    const data::Batch& batch) {
  if (batch.clipped > 0) {
    warn_clipped(what, rows.describe(batch.clipped_sample));
  }
}

void Reporter::warn_clipped(const std::string& what, const std::string& where) {
  if (!std::exchange(told_clipped_, true)) {
    console_.warn(fmt::format(
        "{} have values outside 0 to 255, which are clipped to black and "
        "white{}{}; try: data.preprocess.range, [0, 65535] for 16 bits "
        "(`vitrain data check` lists them)",
        what,
        where.empty() ? "" : ": ",
        where));
  }
}

void Reporter::add_clipped(std::int64_t images, const std::string& what) {
  if (images > 0) {
    clipped_images_ += images;
    warn_clipped(what, "");
  }
}

void Reporter::resumed(std::int64_t step, const job::Best& best) {
  best_ = best;
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
    const SaveTimes& times) {
  checkpoint_ = path;
  if (!main_) {
    return;
  }
  progress_.clear();
  console_.log(fmt::format(
      "saved {} in {:.2f} s", printable(shown_path(path)), times.seconds));
  record_checkpoint(step, path, times);
}

void Reporter::record_checkpoint(
    std::int64_t step,
    const std::string& path,
    const std::optional<SaveTimes>& times) {
  records().write(
      {{"kind", "checkpoint"},
       {"step", step},
       {"epoch", epoch_of(step)},
       {"path", printable(path)},
       {"seconds", times ? Json(times->seconds) : Json()},
       {"blocked_seconds", times ? Json(times->blocked) : Json()}});
}

namespace {

logging::Reached
reached(const EvalCounts& found, bool classes, bool top5, bool lists) {
  logging::Reached reached{
      .loss = found.value(Metric::kLoss), .count = found.count};
  if (classes) {
    reached.correct1 = found.correct1;
  }
  if (top5) {
    reached.correct5 = found.correct5;
  }
  if (lists) {
    reached.map = found.value(Metric::kMap);
  }
  return reached;
}

} // namespace

void Reporter::end_records(
    ExitCode code,
    std::int64_t step,
    std::int64_t memory) {
  Json best = nullptr;
  if (best_ && best_->step >= 0) {
    best = {
        {"metric", info_of(job_.recipe.checkpoint.metric).name},
        {"value", best_->value},
        {"step", best_->step}};
  }
  records().write(
      {{"kind", "done"},
       {"step", step},
       {"exit", static_cast<int>(code)},
       {"seconds", watch_.seconds()},
       {"memory_bytes", memory},
       {"best", best}});
  end_report();
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
      .earlier_seconds = earlier_seconds_,
      .resumed = resumed_step_,
      .steps = step,
      .total_steps = length_.total_steps,
      .images_per_second =
          train_seconds_ > 0 ? train_samples_ / train_seconds_ : 0.0,
      .folder = keeps_folder() ? shown_path(job_.run_directory) : ""};
  if (const config::Timeline& timeline = length_.timeline; !timeline.empty()) {
    end.epochs = timeline.epoch_of(step);
    end.begun_steps = timeline.step_in_epoch(step);
    end.epoch_steps = timeline.steps_in(end.epochs);
  }
  if (last_eval_) {
    end.last = reached(
        last_eval_->counts,
        classes_,
        shows(info_of(Metric::kTop5), *last_eval_),
        tells(info_of(Metric::kMap)));
  }
  const MetricInfo& metric = info_of(job_.recipe.checkpoint.metric);
  if (best_ && best_->step >= 0) {
    end.best = fmt::format(
        "{} at epoch {} (step {})",
        metric_text(metric, best_->value),
        epoch_of(best_->step),
        with_commas(best_->step));
  }
  end.pruned = pruned_;
  if (checkpoint_) {
    end.checkpoint = shown_path(*checkpoint_);
  }
  end_records(code, step, memory);
  end.problems = problems();
  end.commands = commands(code);
  console_.print([&](const logging::TerminalStyle& style) {
    return logging::closing(end, style);
  });
}

} // namespace vitrain::engine
