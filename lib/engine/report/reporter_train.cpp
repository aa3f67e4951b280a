// Member functions of Reporter about training steps.

#include <limits>

#include <fmt/format.h>
#include "core/text.h"
#include "engine/report/reporter.h"

namespace vitrain::engine {
namespace {

// Returns the mean loss; NaN without samples, which means that all steps were
// skipped.
double mean_of_losses(double sum, double count) {
  return count > 0.0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

// Top-1 and top-5 accuracy in percent.
struct TopShares {
  double one = 0.0;
  double five = 0.0;
};

TopShares top_shares(const TrainReport& report) {
  const auto count = static_cast<double>(report.count);
  return {
      .one = 100.0 * static_cast<double>(report.correct1) / count,
      .five = 100.0 * static_cast<double>(report.correct5) / count};
}

std::optional<logging::ShownStaleness> shown_staleness(
    const dist::Staleness& stale) {
  if (stale.updates == 0) {
    return std::nullopt;
  }
  return logging::ShownStaleness{
      static_cast<double>(stale.sum) / static_cast<double>(stale.updates),
      stale.largest};
}

// Adds the fields that only some runs or steps have.
void add_what_some_have(Json& record, const TrainReport& report) {
  if (report.loss_scale) {
    record["loss_scale"] = *report.loss_scale;
  }
  if (report.sparsity) {
    record["sparsity"] = *report.sparsity;
  }
  if (report.dropped > 0) {
    record["dropped_updates"] = report.dropped;
  }
  if (report.stale.updates > 0) {
    record["staleness_mean"] = static_cast<double>(report.stale.sum) /
        static_cast<double>(report.stale.updates);
    record["staleness_largest"] = report.stale.largest;
  }
  if (report.bad_samples > 0) {
    record["replaced"] = report.replaced;
    record["bad_samples"] = report.bad_samples;
  }
  for (const StepTimes& worker : report.workers) {
    record["rank_step_seconds"].push_back(worker.step);
    record["rank_data_seconds"].push_back(worker.data);
    record["rank_comm_seconds"].push_back(worker.exchange);
  }
  if (report.image_warnings > 0) {
    record["image_warnings"] = report.image_warnings;
  }
  if (report.clipped_images > 0) {
    record["clipped_images"] = report.clipped_images;
  }
}

} // namespace

void Reporter::own_train(const TrainReport& report) {
  const OwnReport& own = report.own;
  logging::ProgressState state{
      .epoch = report.epoch,
      .epochs = length_.epochs,
      .batch = batch_of(report.step),
      .batches = batches_at(report.step),
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
  // Rank 0's terminal shows the totals, so its own line goes only to the log,
  // unless the terminal shows every rank's lines.
  if (main_ && job_.recipe.log.ranks == config::LogRanks::kMain) {
    console_.log(line);
  } else {
    console_.info(line);
  }
}

void Reporter::add_to_epoch(const TrainReport& report) {
  if (epoch_samples_ == 0.0) {
    sums_begin_ = report.step - report.steps;
  }
  sums_end_ = report.step;
  epoch_loss_ += report.loss_sum;
  epoch_samples_ += static_cast<double>(report.count);
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
  add_to_epoch(report);
  shown_ = {
      .phase = logging::Phase::kTrain,
      .epoch = report.epoch,
      .epochs = length_.epochs,
      .batch = batch_of(report.step),
      .batches = batches_at(report.step),
      .loss = mean_of_losses(report.loss_sum, count),
      .lr = report.lr,
      .images_per_second = speed,
      .data_wait = report.data_wait,
      .comm_bytes = report.comm_bytes,
      .comm_wait = report.comm_seconds / step_seconds,
      .staleness = shown_staleness(report.stale),
      .bad_samples = report.bad_samples,
      .unsaved = unsaved_,
      .eta_seconds = step_seconds *
          static_cast<double>(length_.total_steps - report.step)};
  const TopShares top = top_shares(report);
  if (classes_) {
    shown_.top1 = top.one;
    shown_.top5 = shows_top5_ ? std::optional(top.five) : std::nullopt;
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
      {"grad_norm", report.grad_norm ? Json(*report.grad_norm) : Json()},
      {"samples_hash", report.samples_hash}};
  add_what_some_have(record, report);
  bad_samples_ = report.bad_samples;
  add_clipped(report.clipped_images, "training images");
  if (classes_) {
    record["top1"] = top.one;
    record["top5"] = top.five;
  }
  if (first_step_end_ && first_step_begin_ && *first_step_begin_ >= 0) {
    record["start_begin_seconds"] = *first_step_begin_;
    record["start_end_seconds"] = *first_step_end_;
    first_step_begin_ = -1.0; // reported once
  }
  records().write(record);
}

void Reporter::pruned(
    std::int64_t step,
    std::int64_t zeros,
    std::int64_t weights,
    bool last) {
  if (!main_) {
    return;
  }
  pruned_ = fmt::format(
      "{:.2f} % of {} weights are zero",
      100.0 * static_cast<double>(zeros) / static_cast<double>(weights),
      with_commas(weights));
  progress_.clear();
  const std::string line =
      fmt::format("step {}: {}", with_commas(step), pruned_);
  if (last) {
    console_.info(line);
  } else {
    console_.log(line);
  }
}

} // namespace vitrain::engine
