#pragma once

#include <cstdint>
#include <optional>

#include "config/schema/duration.h"
#include "config/sections/sync.h"
#include "config/sections/top_k.h"
#include "core/enum_names.h"
#include "options/compression.h"

namespace vitrain::config {

// Number of processes: one per device, or one for all devices.
enum class DistMode { kProcesses, kSingleProcess };
constexpr auto names_of(DistMode) {
  using enum DistMode;
  return enum_names<DistMode>(
      {{kProcesses, "processes"}, {kSingleProcess, "single_process"}});
}
enum class Backend { kAuto, kGloo, kNccl };
constexpr auto names_of(Backend) {
  using enum Backend;
  return enum_names<Backend>(
      {{kAuto, "auto"}, {kGloo, "gloo"}, {kNccl, "nccl"}});
}
enum class BatchNormStatistics { kLocal, kBroadcast, kBroadcastAverage, kSync };
constexpr auto names_of(BatchNormStatistics) {
  using enum BatchNormStatistics;
  return enum_names<BatchNormStatistics>(
      {{kLocal, "local"},
       {kBroadcast, "broadcast"},
       {kBroadcastAverage, "broadcast_average"},
       {kSync, "sync"}});
}
// Returns true if all workers copy the running statistics of rank 0 before each
// step.
constexpr bool broadcasts(BatchNormStatistics statistics) {
  return statistics == BatchNormStatistics::kBroadcast ||
      statistics == BatchNormStatistics::kBroadcastAverage;
}
// Keys for dist.compress: powersgd: gradients are approximated by products of
// two thin matrices (docs/synchronisation.md).
struct PowerSgdConfig {
  std::int64_t rank = 4;
  Duration start{0.1, Duration::Unit::kFraction};
  bool warm_start = true;
  double min_compression = 2.0;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("rank", rank, "Columns of the two matrices: more are more exact.")
        .in_range(1, 1024);
    v.field(
        "start",
        start,
        "Until then gradients travel as they are: they change fastest at the "
        "beginning.");
    v.field(
        "warm_start",
        warm_start,
        "Each step starts from the matrices of the last one instead of from "
        "random ones.");
    v.field(
         "min_compression",
         min_compression,
         "Parameters that would not become smaller by more than this factor "
         "travel as they are; so do all with one dimension.")
        .at_least(1.0)
        .at_most(1e6);
  }
};

// Seconds without progress, in each section of the program, after which the run
// is ended; `stopped`: seconds that a worker may be stopped (SIGSTOP).
struct TimeoutsConfig {
  double setup = 600.0;
  double step = 600.0;
  double eval = 1800.0;
  double checkpoint = 1800.0;
  double stopped = 4.0;

  template <typename Visitor>
  void visit(Visitor& v) {
    const auto seconds = [&](const char* key, double& limit, const char* help) {
      v.field(key, limit, help).more_than(0.0).at_most(1e6);
    };
    seconds("setup", setup, "Seconds from the start to the first step.");
    seconds("step", step, "Seconds for one training step.");
    seconds("eval", eval, "Seconds for one evaluation batch.");
    seconds("checkpoint", checkpoint, "Seconds for one checkpoint.");
    seconds(
        "stopped",
        stopped,
        "Seconds that a worker may be stopped (SIGSTOP, a debugger) until the "
        "run is ended.");
  }
};

// Communication between the workers.
struct DistConfig {
  DistMode mode = DistMode::kProcesses;
  Backend backend = Backend::kAuto;
  SyncConfig sync;
  double bucket_mb = 25.0;
  double first_bucket_mb = 1.0;
  Compress compress = Compress::kNone;
  PowerSgdConfig powersgd;
  TopKConfig topk;
  bool zero1 = false;
  BatchNormStatistics batchnorm = BatchNormStatistics::kLocal;
  std::optional<Duration> check_every;
  TimeoutsConfig timeouts;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
        "mode",
        mode,
        "`processes`: a process per device; `single_process`: one process with "
        "a replica per device on threads, as PyTorch's DataParallel (slower; "
        "BatchNorm keeps the first replica's statistics).");
    v.field(
        "backend", backend, "`auto`: nccl between GPUs, gloo between CPUs.");
    v.section("sync", sync, "How replicas are kept equal.");
    v.field(
         "bucket_mb",
         bucket_mb,
         "Size in MiB of the pieces in which gradients are exchanged while "
         "backward runs.")
        .more_than(0.0)
        .at_most(65536.0);
    v.field(
         "first_bucket_mb",
         first_bucket_mb,
         "Size in MiB of the first of them: a small one starts early.")
        .more_than(0.0)
        .at_most(65536.0);
    v.field(
        "compress",
        compress,
        "Gradients travel as they are (`none`); rounded to `bf16` or `fp16`: "
        "half the bytes, and sums rounded at each device; with `powersgd`, as "
        "approximations of low rank; or, with `topk`, only their largest "
        "entries. What these two leave out is added to the next gradient.");
    v.section("powersgd", powersgd, "Settings of compress: powersgd.")
        .needs("dist.compress", compress, Compress::kPowerSgd);
    v.section("topk", topk, "Settings of compress: topk.")
        .needs("dist.compress", compress, Compress::kTopK);
    v.field(
        "zero1",
        zero1,
        "Each device keeps the optimizer's state of, and updates, only its "
        "share of the weights (ZeRO stage 1): the same bits with less memory.");
    v.field(
        "batchnorm",
        batchnorm,
        "Statistics of BatchNorm layers. In training, layers normalise by "
        "the statistics of each device's own batch, except with `sync`. "
        "Running statistics: `local`: each device updates its own, and they "
        "become their mean over the devices at every evaluation and "
        "checkpoint. `broadcast`: all devices copy rank 0's before every "
        "step, and rank 0's are evaluated and saved: batches of other "
        "devices never count (PyTorch's broadcast_buffers). "
        "`broadcast_average`: as `broadcast`, and at the end of every epoch "
        "they become their mean over the devices (timm's default). `sync`: "
        "statistics of the global batch, in training too (SyncBatchNorm).");
    v.field(
        "check_every",
        check_every,
        "Interval at which a checksum verifies that all replicas are equal, "
        "in addition to every evaluation and checkpoint; null: only there.");
    v.section("timeouts", timeouts, "Limits in seconds.");
  }
};

} // namespace vitrain::config
