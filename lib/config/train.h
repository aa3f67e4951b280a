#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/duration.h"

namespace vitrain::config {

enum class Precision { kAuto, kFp32, kTf32, kBf16 };
enum class LossKind { kCrossEntropy };
enum class OnNonFinite { kStop };
enum class Backend { kAuto, kGloo, kNccl };
enum class SyncMode { kAllreduce };
enum class Metric { kTop1, kTop5, kLoss };
enum class ProgressKind { kAuto, kLine, kPlain, kOff };

struct TrainConfig {
  Precision precision = Precision::kAuto;
  std::int64_t accumulate = 1;
  LossKind loss = LossKind::kCrossEntropy;
  double label_smoothing = 0.0;
  OnNonFinite on_non_finite = OnNonFinite::kStop;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("precision", precision,
        "`auto`: bf16 on GPUs and on CPUs with avx512_bf16 or amx_bf16, else "
        "fp32. `tf32` is for GPUs.");
    v.field("accumulate", accumulate,
        "Micro-batches per optimizer step and device.").in_range(1, 1 << 20);
    v.field("loss", loss, "Loss function.");
    v.field("label_smoothing", label_smoothing,
        "Share of the target spread evenly over all classes; training only.")
        .at_least(0.0).less_than(1.0);
    v.field("on_non_finite", on_non_finite,
        "What to do when a gradient norm is not finite: `stop` (exit 5).");
  }
};

struct SyncConfig {
  SyncMode mode = SyncMode::kAllreduce;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("mode", mode,
        "`allreduce`: gradients are averaged over all devices in every step.");
  }
};

// Seconds after which a section that makes no progress ends the run.
struct TimeoutsConfig {
  double setup = 600.0;
  double step = 600.0;
  double eval = 1800.0;
  double checkpoint = 1800.0;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("setup", setup, "Seconds from the start to the first step.")
        .more_than(0.0);
    v.field("step", step, "Seconds for one training step.").more_than(0.0);
    v.field("eval", eval, "Seconds for one evaluation batch.").more_than(0.0);
    v.field("checkpoint", checkpoint, "Seconds for one checkpoint.")
        .more_than(0.0);
  }
};

struct DistConfig {
  Backend backend = Backend::kAuto;
  SyncConfig sync;
  double bucket_mb = 25.0;
  double first_bucket_mb = 1.0;
  TimeoutsConfig timeouts;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("backend", backend,
        "`auto`: nccl between GPUs, gloo between CPUs.");
    v.section("sync", sync, "How replicas are kept equal.");
    v.field("bucket_mb", bucket_mb,
        "Size in MiB of the pieces in which gradients are exchanged while "
        "backward runs.").more_than(0.0);
    v.field("first_bucket_mb", first_bucket_mb,
        "Size in MiB of the first of them: a small one starts early.")
        .more_than(0.0);
    v.section("timeouts", timeouts, "Limits in seconds.");
  }
};

struct CheckpointConfig {
  Duration every{1.0, Duration::Unit::kEpochs};
  std::int64_t keep_last = 2;
  std::int64_t keep_best = 1;
  Metric metric = Metric::kTop1;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("every", every, "Interval: `1ep`, `500st` or `0.1dur`.");
    v.field("keep_last", keep_last, "Newest checkpoints to keep.").at_least(1);
    v.field("keep_best", keep_best, "Best checkpoints to keep as well.")
        .at_least(0);
    v.field("metric", metric, "What `best` means, on the evaluation set.");
  }
};

struct EvalConfig {
  Duration every{1.0, Duration::Unit::kEpochs};

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("every", every,
        "Interval of evaluation during training; the end of the run is always "
        "evaluated.");
  }
};

struct LogConfig {
  std::int64_t every = 20;
  bool tensorboard = true;
  bool jsonl = true;
  bool csv = true;
  ProgressKind progress = ProgressKind::kAuto;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("every", every,
        "Optimizer steps between lines of the log and records in "
        "metrics.jsonl.").at_least(1);
    v.field("tensorboard", tensorboard, "Write TensorBoard events.");
    v.field("jsonl", jsonl, "Write metrics.jsonl.");
    v.field("csv", csv, "Write summary.csv, a row per epoch.");
    v.field("progress", progress,
        "`auto`: a live `line` on a terminal, `plain` lines elsewhere; `off`: "
        "neither.");
  }
};

} // namespace vitrain::config
