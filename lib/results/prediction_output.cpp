#include "results/prediction_output.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::results {

bool is_predictions_csv(std::string_view start) {
  constexpr std::string_view kHeader = "path,prediction,probability,";
  if (!start.starts_with(kHeader)) {
    return false;
  }
  start.remove_prefix(kHeader.size());
  return start.starts_with("problem\n") || start.starts_with("prediction_2,");
}

bool is_predictions_jsonl(std::string_view start) {
  // Only the start of a line is available, which is not complete JSON.
  constexpr std::string_view kPath = "{\"path\":\"";
  if (!start.starts_with(kPath)) {
    return false;
  }
  start.remove_prefix(kPath.size());
  std::size_t end = 0;
  while (end < start.size() && start[end] != '"') {
    end += start[end] == '\\' ? 2 : 1;
  }
  start.remove_prefix(std::min(end, start.size()));
  return start.starts_with("\",\"top\":[") ||
      start.starts_with("\",\"problem\":\"");
}

PredictionOutput::PredictionOutput(const Options& options)
    : options_(options),
      lines_(options.classes, options.top),
      console_({.log_fd = -1, .terminal_fd = STDERR_FILENO}),
      progress_(console_, "predicting") {
  if (options.csv) {
    csv_.emplace(*options.csv);
    csv_->write(lines_.csv_header());
  }
  if (options.jsonl) {
    jsonl_.emplace(*options.jsonl);
  }
  if (options.features) {
    features_.emplace(*options.features, options.images);
  }
  if (!csv_ && !jsonl_) {
    open_table();
  }
}

void PredictionOutput::open_table() {
  const logging::Console terminal({.log_fd = -1, .terminal_fd = STDOUT_FILENO});
  PredictionTable::Layout layout{
      .images = options_.images,
      .top = options_.top,
      .narrow = terminal.is_live(),
      .style = terminal.style()};
  for (std::int64_t i = 0; i < options_.images; ++i) {
    layout.path_columns = std::max(
        layout.path_columns,
        logging::display_width(printable(options_.path(i))));
  }
  table_.emplace(options_.classes, layout);
}

void PredictionOutput::add(std::span<const Prediction> predictions) {
  std::string csv;
  std::string jsonl;
  for (const Prediction& prediction : predictions) {
    const std::string_view path = options_.path(done_++);
    problems_ += prediction.problem.empty() ? 0 : 1;
    if (csv_) {
      csv += lines_.csv(path, prediction);
    }
    if (jsonl_) {
      jsonl += lines_.json(path, prediction);
    }
    if (table_) {
      std::fputs(table_->row(printable(path), prediction).c_str(), stdout);
    }
  }
  if (features_) {
    features_->add(predictions);
  }
  if (csv_) {
    csv_->write(csv);
  }
  if (jsonl_) {
    jsonl_->write(jsonl);
  }
  if (table_) {
    std::fflush(stdout);
  } else {
    progress_.update(done_, options_.images);
  }
}

void PredictionOutput::finish() {
  console_.live("");
  for (auto* file : {&csv_, &jsonl_}) {
    if (*file) {
      (*file)->finish();
    }
  }
  if (features_) {
    features_->finish();
  }
}

void PredictionOutput::report(const std::vector<std::string>& others) {
  std::vector<std::string> files;
  for (const auto& path : {options_.csv, options_.jsonl, options_.features}) {
    if (path && *path != "-") {
      files.push_back(printable(*path));
    }
  }
  files.insert(files.end(), others.begin(), others.end());
  if (table_ && problems_ == 0 && files.empty()) {
    return;
  }
  std::string text = counted(done_, "image");
  if (problems_ > 0) {
    text += fmt::format(", {} of them unreadable", with_commas(problems_));
  }
  if (!table_) {
    text += fmt::format(
        ", {:.3g} images/s", static_cast<double>(done_) / watch_.seconds());
  }
  console_.info(text + (files.empty() ? "" : ": " + join(files, ", ")));
}

} // namespace vitrain::results
