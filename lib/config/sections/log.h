#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/enum_names.h"
#include "options/step_range.h"

namespace vitrain::config {

enum class LogCount { kRun, kEpoch };
constexpr auto names_of(LogCount) {
  using enum LogCount;
  return enum_names<LogCount>({{kRun, "run"}, {kEpoch, "epoch"}});
}
enum class LogRanks { kMain, kAll };
constexpr auto names_of(LogRanks) {
  using enum LogRanks;
  return enum_names<LogRanks>({{kMain, "main"}, {kAll, "all"}});
}
enum class ProgressKind { kAuto, kLine, kPlain, kOff };
constexpr auto names_of(ProgressKind) {
  using enum ProgressKind;
  return enum_names<ProgressKind>(
      {{kAuto, "auto"}, {kLine, "line"}, {kPlain, "plain"}, {kOff, "off"}});
}

// Returns the mistake in an address, which must be http:// or https:// and a
// host without blanks; "" if it is valid.
inline std::string validate_web_address(const std::string& text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.starts_with(scheme)) {
      return text.size() > scheme.size() &&
              text.find_first_of(" \t\r\n") == std::string::npos
          ? ""
          : "it has no host, or blanks";
    }
  }
  return "it begins with neither";
}

// Returns the mistake in a range of at most kMost optimizer steps; "" if it is
// valid.
template <std::int64_t kMost>
std::string validate_steps(const std::string& text) {
  StepRange range;
  return parse_step_range(text, range, kMost);
}

// Limit of steps in log.trace: a step of a large network has tens of thousands
// of events.
constexpr std::int64_t kMostTraced = 100;
// Limit of steps in log.batches: a batch of images has hundreds of megabytes.
constexpr std::int64_t kMostBatches = 1000;

// Records of a run, and their frequency.
struct LogConfig {
  std::int64_t every = 20;
  LogCount count = LogCount::kRun;
  bool tensorboard = true;
  bool jsonl = true;
  bool csv = true;
  bool samples = true;
  std::optional<std::string> trace;
  std::optional<std::string> batches;
  std::optional<std::string> mlflow;
  std::string mlflow_experiment = "vitrain";
  ProgressKind progress = ProgressKind::kAuto;
  LogRanks ranks = LogRanks::kMain;
  std::optional<std::string> folder;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "every",
         every,
         "Optimizer steps between lines of the log and records in "
         "metrics.jsonl.")
        .in_range(1, 1000000000);
    v.field(
        "count",
        count,
        "What `log.every` counts. `run`: a line after step 1 of the run and "
        "after each multiple of it. `epoch`: after batches 0, `log.every`, 2 "
        "`log.every`, ... of each epoch, counted from 0, as scripts do that "
        "print when `batch % every == 0`.");
    v.field("tensorboard", tensorboard, "Write TensorBoard events.");
    v.field("jsonl", jsonl, "Write metrics.jsonl.");
    v.field("csv", csv, "Write summary.csv, a row per evaluation.");
    v.field(
        "samples",
        samples,
        "Write samples.png: images of the first batch as training saw them, "
        "augmented, erased and mixed; also among TensorBoard's images.");
    v.field(
         "trace",
         trace,
         "Optimizer steps, from 1, of which every worker writes a trace, "
         "`trace/rankN.json` in the run folder, for Perfetto or "
         "chrome://tracing: each operator and kernel, the parts of a step, and "
         "each bucket of gradients while it travels. These steps are slower.")
        .written_as("N or N-M", validate_steps<kMostTraced>);
    v.field(
         "batches",
         batches,
         "Optimizer steps, from 1, whose batches every worker writes as the "
         "network was given them, to `batches/` in the run folder: files of "
         "safetensors with images, labels, shares of classes and factors of "
         "stochastic depth, with which another program can make the same "
         "steps.")
        .written_as("N or N-M", validate_steps<kMostBatches>);
    v.field(
         "mlflow",
         mlflow,
         "Address of an MLflow tracking server, as `http://host:5000`: it gets "
         "the recipe, the numbers of every record, and files (config.yaml, "
         "summary.csv, report.html, pictures). One that cannot be reached "
         "costs the run nothing. Names and passwords are not part of it: "
         "MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and "
         "MLFLOW_TRACKING_PASSWORD, in the environment.")
        .written_as("http://HOST:PORT or https://HOST", validate_web_address);
    v.field(
         "mlflow_experiment",
         mlflow_experiment,
         "The experiment there to which the run belongs; made if missing.")
        .not_empty()
        .needs("log.mlflow", [this] { return mlflow.has_value(); });
    v.field(
        "progress",
        progress,
        "`auto`: a live `line` on a terminal, `plain` lines elsewhere, also on "
        "the terminal that mpirun makes for its workers; `off`: neither.");
    v.field(
        "ranks",
        ranks,
        "Whose lines the terminal shows: rank 0's (`main`), or every rank's, "
        "each line after `[rank N]` (`all`).");
    v.field(
         "folder",
         folder,
         "Folder of `workerlog.N`, what worker N wrote; null: `log/` in the "
         "run folder.")
        .not_empty();
  }
};

} // namespace vitrain::config
