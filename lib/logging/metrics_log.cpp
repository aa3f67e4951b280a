#include "logging/metrics_log.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/json_values.h"
#include "core/text.h"
#include "logging/run_parameters.h"

namespace vitrain::logging {
namespace {

// Returns false for numbers that are useless as curves: steps, batches, counts.
bool is_curve(const std::string& key) {
  constexpr std::array<std::string_view, 8> kNoCurves{
      "step",
      "batch",
      "count",
      "correct1",
      "correct5",
      "real_count",
      "real_correct",
      "subset"};
  return std::find(kNoCurves.begin(), kNoCurves.end(), key) == kNoCurves.end();
}

// True for an evaluation of weights that are not averaged.
bool is_raw(const Json& record) {
  const std::string weights = json_text(record, "weights");
  return weights.empty() || weights == "raw";
}

// Files sent to the server at the end of a run, if they exist.
constexpr const char* kConfusion = "evaluation/confusion.png";
constexpr const char* kLastFiles[] = {
    kConfusion,
    "summary.csv",
    "report.html",
    "evaluation/per_class.csv",
    "evaluation/mistakes.png",
    "evaluation/reliability.png"};

} // namespace

void TrainSpan::add(const Json& train_record) {
  const double count = json_number(train_record, "count").value_or(0.0);
  const auto add_to = [&](Mean& mean, std::optional<double> value) {
    if (value && count > 0.0) {
      mean.sum += *value * count;
      mean.weight += count;
    }
  };
  add_to(loss_, json_number(train_record, "loss"));
  add_to(top1_, json_number(train_record, "top1"));
  add_to(comm_wait_, json_number(train_record, "comm_wait"));
  const auto rate = json_number(train_record, "images_per_second");
  if (rate && *rate > 0.0) {
    add_to(seconds_per_image_, 1.0 / *rate);
  }
  if (const auto lr = json_number(train_record, "lr")) {
    lr_ = lr;
  }
}

void TrainSpan::fill(SummaryRow& row) const {
  row.train_loss = loss_.value();
  row.train_top1 = top1_.value();
  row.comm_wait = comm_wait_.value();
  if (seconds_per_image_.sum > 0.0) {
    row.images_per_second = seconds_per_image_.weight / seconds_per_image_.sum;
  }
  row.lr = lr_;
}

template <typename Work>
void MetricsLog::attempt(const Work& work) noexcept {
  try {
    work();
  } catch (const std::exception& error) {
    ++failed_;
    failure_ = error.what();
  }
}

MetricsLog::MetricsLog(
    const std::filesystem::path& folder,
    const config::LogConfig& options,
    std::optional<std::int64_t> resumed_step,
    const SummaryColumns& summary) noexcept
    : folder_(folder),
      resumed_step_(resumed_step.value_or(0)),
      columns_(summary) {
  // Files are opened independently: a problem with one must not affect
  // another.
  const auto open = [&](auto& writer,
                        const char* name,
                        const auto& truncate,
                        auto... columns) {
    attempt([&] {
      const std::filesystem::path path = folder / name;
      if (resumed_step) {
        truncate(path, *resumed_step, columns...);
      }
      writer.emplace(path, columns...);
    });
  };
  if (options.jsonl) {
    const auto truncate = [this](const auto& path, std::int64_t step) {
      truncate_jsonl_after(
          path, step, [this](const Json& record) { follow(record); });
    };
    open(jsonl_, "metrics.jsonl", truncate);
  }
  if (options.csv) {
    open(csv_, "summary.csv", truncate_csv_after, summary);
  }
  if (options.tensorboard) {
    attempt([&] { tensorboard_.emplace(folder, resumed_step); });
  }
}

void MetricsLog::follow(const Json& record) {
  const std::string kind = json_text(record, "kind");
  if (kind == "train") {
    if (span_is_done_) {
      span_.clear();
    }
    span_is_done_ = false;
    span_.add(record);
  } else if (kind == "eval" && is_raw(record)) {
    span_is_done_ = true;
  } else if (kind == "checkpoint") {
    checkpoint_step_ = json_integer(record, "step").value_or(0);
  }
}

void MetricsLog::write(const Json& record) noexcept {
  attempt([&] {
    const std::lock_guard lock(mutex_);
    if (jsonl_) {
      jsonl_->write(record);
    }
    follow(record);
    const std::string kind = json_text(record, "kind");
    if (kind == "train") {
      write_scalars(record, "train");
    } else if (kind == "eval") {
      write_summary(record, is_raw(record));
      write_scalars(
          record,
          is_raw(record) ? "eval" : "eval_" + json_text(record, "weights"));
    } else if (kind == "done") {
      exit_ = static_cast<ExitCode>(json_integer(record, "exit").value_or(0));
    }
  });
}

void MetricsLog::write_summary(const Json& record, bool raw) {
  const auto value = [&](const MetricInfo& metric) {
    return json_number(record, metric.name);
  };
  const std::vector<MetricInfo> metrics = summary_metrics(columns_);
  if (!raw) {
    averaged_.resize(metrics.size());
    std::ranges::transform(metrics, averaged_.begin(), value);
    return;
  }
  SummaryRow row;
  span_.fill(row);
  row.epoch = json_integer(record, "epoch").value_or(0);
  row.step = json_integer(record, "step").value_or(0);
  row.eval.resize(metrics.size());
  std::ranges::transform(metrics, row.eval.begin(), value);
  if (columns_.averages) {
    averaged_.resize(metrics.size());
    row.averaged = std::move(averaged_);
  }
  averaged_.clear();
  row.seconds = watch_.seconds();
  if (csv_) {
    csv_->write(row);
  }
}

void MetricsLog::write_scalars(const Json& record, const std::string& prefix) {
  const std::int64_t step = json_integer(record, "step").value_or(0);
  last_step_ = step;
  for (const auto& [key, value] : record.items()) {
    if (!value.is_number() || !is_curve(key)) {
      continue;
    }
    const std::string tag = fmt::format("{}/{}", prefix, key);
    if (tensorboard_) {
      tensorboard_->scalar(tag, value.get<double>(), step);
    }
    if (mlflow_) {
      mlflow_->metric(tag, value.get<double>(), step);
    }
  }
}

void MetricsLog::begin(const config::Recipe& recipe) noexcept {
  attempt([&] {
    const std::lock_guard lock(mutex_);
    if (tensorboard_) {
      tensorboard_->begin_session(hyperparameters(recipe));
    }
    if (recipe.log.mlflow) {
      try {
        mlflow_.emplace(MlflowOptions{
            .uri = *recipe.log.mlflow,
            .experiment = recipe.log.mlflow_experiment,
            .run_name = folder_.filename().native(),
            .folder = folder_,
            .parameters = run_parameters(recipe)});
        mlflow_->file("config.yaml");
      } catch (const Error& error) {
        warning_ = fmt::format("log.mlflow: {}", error.what());
      }
    }
  });
}

void MetricsLog::picture(
    std::string_view tag,
    const Picture& picture,
    const std::string& file,
    std::int64_t step) noexcept {
  attempt([&] {
    const std::lock_guard lock(mutex_);
    if (tensorboard_) {
      tensorboard_->image(tag, picture, step);
    }
    if (mlflow_) {
      mlflow_->file(file);
    }
  });
}

void MetricsLog::close() noexcept {
  attempt([&] {
    const std::lock_guard lock(mutex_);
    end_session(exit_);
  });
}

void MetricsLog::end_session(ExitCode code) {
  if (tensorboard_) {
    if (const auto picture = read_png(folder_ / kConfusion)) {
      tensorboard_->image("evaluation/confusion", *picture, last_step_);
    }
    tensorboard_->end_session(code == ExitCode::kDone);
  }
  if (!mlflow_) {
    return;
  }
  std::error_code error;
  for (const char* file : kLastFiles) {
    if (std::filesystem::exists(folder_ / file, error)) {
      mlflow_->file(file);
    }
  }
  mlflow_->finish(
      code == ExitCode::kDone          ? MlflowStatus::kFinished
          : code == ExitCode::kStopped ? MlflowStatus::kKilled
                                       : MlflowStatus::kFailed);
}

std::string MetricsLog::take_warning() noexcept {
  std::string warning;
  attempt([&] {
    const std::lock_guard lock(mutex_);
    warning = mlflow_ ? mlflow_->take_warning() : std::exchange(warning_, "");
  });
  return warning;
}

void MetricsLog::text(
    std::string_view tag,
    std::string_view markdown) noexcept {
  attempt([&] {
    const std::lock_guard lock(mutex_);
    if (tensorboard_) {
      tensorboard_->text(tag, markdown, resumed_step_);
    }
  });
}

std::array<MetricsLog::Output, 3> MetricsLog::outputs() const noexcept {
  return {
      {{"metrics.jsonl", jsonl_ ? &jsonl_->sink() : nullptr},
       {"summary.csv", csv_ ? &csv_->sink() : nullptr},
       {"TensorBoard", tensorboard_ ? &tensorboard_->sink() : nullptr}}};
}

std::int64_t MetricsLog::dropped() const noexcept {
  const std::lock_guard lock(mutex_);
  std::int64_t dropped = failed_;
  for (const Output& output : outputs()) {
    dropped += output.sink == nullptr ? 0 : output.sink->dropped();
  }
  return dropped;
}

std::string MetricsLog::problem() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> problems;
  const auto add = [&](std::string_view name,
                       std::int64_t dropped,
                       const std::string& reason) {
    if (dropped > 0) {
      problems.push_back(fmt::format(
          "{}: {} record{} dropped: {}",
          name,
          dropped,
          dropped == 1 ? "" : "s",
          reason));
    }
  };
  for (const Output& output : outputs()) {
    if (output.sink != nullptr) {
      add(output.name, output.sink->dropped(), output.sink->reason());
    }
  }
  add("metrics", failed_, failure_);
  if (mlflow_) {
    if (std::string problem = mlflow_->problem(); !problem.empty()) {
      problems.push_back(std::move(problem));
    }
  }
  return join(problems, "; ");
}

} // namespace vitrain::logging
