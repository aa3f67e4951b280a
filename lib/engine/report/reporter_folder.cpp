// Member functions of Reporter about the run folder as a whole.

#include <exception>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "engine/report/reporter.h"
#include "report/page/live_report.h"
#include "report/runs/records.h"
#include "report/terminal/ending.h"

namespace vitrain::engine {

void Reporter::open_report() {
  if (job_.recipe.log.jsonl) { // the report is made from metrics.jsonl
    report_ = std::make_unique<report::LiveReport>(
        job_.run(), [this] { return !is_lost(); });
    // An evaluation needs no intermediate report.
    if (job_.mode == job::JobMode::kTrain) {
      report_->update();
    }
  }
}

void Reporter::end_report() {
  if (report_) {
    tell_cost();
  }
  metrics_->close(); // after report.html, which trackers upload too
}

void Reporter::add_earlier_time(std::int64_t step) {
  if (step == 0) { // the run starts from the beginning
    return;
  }
  resumed_step_ = step;
  try {
    report::RecordReader reader(job_.run().metrics());
    reader.update();
    earlier_seconds_ = reader.records().seconds;
  } catch (const Error&) {
    return; // the summary then has only this process's time
  }
}

logging::BannerSection Reporter::commands(ExitCode code) const {
  // After another worker's failure the supervisor prints the commands.
  if (!keeps_folder() || code == ExitCode::kWorkerDied) {
    return {};
  }
  try {
    report::Run run = report::open_run(job_.run_directory);
    if (job_.mode == job::JobMode::kEval && run.trains()) {
      return {}; // the folder has no records of an evaluation
    }
    run.state = code == ExitCode::kDone ? report::RunStatus::kDone
                                        : report::RunStatus::kStopped;
    return report::ending_section(run);
  } catch (const std::exception&) {
    return {}; // the commands are optional
  }
}

void Reporter::tell_cost() {
  report_->finish();
  const report::LiveReport::Cost& cost = report_->cost();
  console_.log(fmt::format(
      "report.html: written {} in {:.3f} s, {:.3f} s at most, {:.3f} s "
      "of "
      "processor time",
      counted(cost.pages, "time"),
      cost.seconds,
      cost.most_seconds,
      cost.processor_seconds));
}

std::vector<std::string> Reporter::problems() const {
  std::vector<std::string> list;
  if (bad_samples_ > 0) {
    list.push_back(fmt::format(
        "{} bad training samples were replaced: see {}",
        with_commas(bad_samples_),
        shown_path(job_.run().bad_samples().native())));
  }
  if (clipped_images_ > 0) {
    list.push_back(fmt::format(
        "the values of {} images that were read were clipped at 255: set "
        "data.preprocess.range",
        with_commas(clipped_images_)));
  }
  for (const std::string& problem :
       {metrics_->problem(),
        report_ ? report_->problem() : "",
        console_.problem()}) {
    if (!problem.empty()) {
      list.push_back(problem);
    }
  }
  return list;
}

bool Reporter::keeps_folder() const {
  const config::LogConfig& log = job_.recipe.log;
  return job_.mode == job::JobMode::kTrain || log.jsonl || log.csv ||
      log.tensorboard;
}

std::string Reporter::shown_path(const std::string& path) const {
  // Relative to the working directory if the path is below it.
  std::error_code error;
  const auto relative = std::filesystem::relative(path, error).native();
  return error || relative.starts_with("..") ? path : relative;
}

} // namespace vitrain::engine
