#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/duration.h"
#include "core/enum_names.h"
#include "options/exchange.h"

namespace vitrain::config {

// Whether each device has a process of its own, or all have one.
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
enum class SyncMode {
  kAllreduce,
  kDelayedAllreduce,
  kLocalSgd,
  kPostLocalSgd,
  kHierarchicalSgd,
  kDiloco,
  kOverlapAverage,
  kAsyncPs,
  kHogwild,
};
constexpr auto names_of(SyncMode) {
  using enum SyncMode;
  return enum_names<SyncMode>(
      {{kAllreduce, "allreduce"},
       {kDelayedAllreduce, "delayed_allreduce"},
       {kLocalSgd, "local_sgd"},
       {kPostLocalSgd, "post_local_sgd"},
       {kHierarchicalSgd, "hierarchical_sgd"},
       {kDiloco, "diloco"},
       {kOverlapAverage, "overlap_average"},
       {kAsyncPs, "async_ps"},
       {kHogwild, "hogwild"}});
}
enum class BatchNormStatistics { kLocal, kBroadcast, kSync };
constexpr auto names_of(BatchNormStatistics) {
  using enum BatchNormStatistics;
  return enum_names<BatchNormStatistics>(
      {{kLocal, "local"}, {kBroadcast, "broadcast"}, {kSync, "sync"}});
}
enum class SyncAverage { kParameters, kParametersAndOptimizer };
constexpr auto names_of(SyncAverage) {
  using enum SyncAverage;
  return enum_names<SyncAverage>(
      {{kParameters, "parameters"},
       {kParametersAndOptimizer, "parameters_and_optimizer"}});
}

// How replicas are kept equal (docs/synchronisation.md has the definitions).
struct SyncConfig {
  SyncMode mode = SyncMode::kAllreduce;
  std::int64_t period = 8;
  Duration start{0.0, Duration::Unit::kSteps};
  SyncAverage average = SyncAverage::kParameters;
  std::optional<std::int64_t> group_size;
  std::vector<std::int64_t> periods{4, 16};
  std::vector<std::int64_t> group_sizes{2, -1};
  double outer_lr = 0.7;
  double outer_momentum = 0.9;
  std::int64_t delay = 1;
  std::optional<std::int64_t> max_staleness;
  OnStale on_stale = OnStale::kWait;
  std::int64_t servers = 1;
  bool predict = false;

  // Whether `period` has an effect, and `start` with `average`.
  bool uses_period() const {
    return averages_from_start() || mode == SyncMode::kDiloco ||
        mode == SyncMode::kOverlapAverage;
  }
  bool averages_from_start() const {
    return mode == SyncMode::kLocalSgd || mode == SyncMode::kPostLocalSgd;
  }

  template <typename Visitor>
  void visit(Visitor& v) {
    using enum SyncMode;
    const auto is = [this](auto... modes) {
      return [this, modes...] { return ((mode == modes) || ...); };
    };
    v.field(
        "mode",
        mode,
        "`allreduce`: gradients are averaged over all devices in every step; "
        "`delayed_allreduce`: the same one step later, while the next one is "
        "computed; `local_sgd`: own updates, parameters averaged every "
        "`period` steps; `post_local_sgd`: the same from `start` on, with "
        "gradients averaged inside a node; `hierarchical_sgd`: averages over "
        "groups of `group_sizes` ranks every `periods` steps; `diloco`: an "
        "outer optimizer every `period` steps; `overlap_average`: averages "
        "that arrive `delay` steps later; `async_ps`: each gradient is applied "
        "on its own by parameter servers; `hogwild`: CPU workers of one node "
        "update shared weights without a lock; both are not deterministic. "
        "Evaluations and checkpoints see "
        "averaged weights in every mode.");
    v.field("period", period, "Steps between two averages.")
        .in_range(1, 1 << 20)
        .needs(
            "dist.sync.mode: local_sgd, post_local_sgd, diloco or "
            "overlap_average",
            [this] { return uses_period(); });
    v.field(
         "start",
         start,
         "`local_sgd`, `post_local_sgd`: until then gradients are averaged in "
         "every step.")
        .needs("dist.sync.mode: local_sgd or post_local_sgd", [this] {
          return averages_from_start();
        });
    v.field(
         "average",
         average,
         "`local_sgd`, `post_local_sgd`: what is averaged; the optimizer's "
         "state stays each device's own, or is averaged too.")
        .needs("dist.sync.mode: local_sgd or post_local_sgd", [this] {
          return averages_from_start();
        });
    v.field(
         "group_size",
         group_size,
         "`post_local_sgd`: consecutive ranks that average gradients in every "
         "step; `auto`: those of a node.")
        .auto_value()
        .in_range(1, 1 << 20)
        .needs("dist.sync.mode: post_local_sgd", is(kPostLocalSgd));
    v.field(
         "periods",
         periods,
         "`hierarchical_sgd`: steps between the averages of each level.")
        .each_at_least(1)
        .needs("dist.sync.mode: hierarchical_sgd", is(kHierarchicalSgd));
    v.field(
         "group_sizes",
         group_sizes,
         "`hierarchical_sgd`: consecutive ranks of a group of each level; -1: "
         "all. The last level has all.")
        .one_of_or_at_least(-1, 1)
        .needs("dist.sync.mode: hierarchical_sgd", is(kHierarchicalSgd));
    v.field("outer_lr", outer_lr, "`diloco`: of the outer SGD.")
        .more_than(0.0)
        .at_most(100.0)
        .needs("dist.sync.mode: diloco", is(kDiloco));
    v.field(
         "outer_momentum",
         outer_momentum,
         "`diloco`: Nesterov momentum of the outer SGD.")
        .at_least(0.0)
        .less_than(1.0)
        .needs("dist.sync.mode: diloco", is(kDiloco));
    v.field(
         "delay",
         delay,
         "`overlap_average`: steps until an average is taken over; less than "
         "`period`.")
        .in_range(0, 1 << 20)
        .needs("dist.sync.mode: overlap_average", is(kOverlapAverage));
    v.field(
         "max_staleness",
         max_staleness,
         "`async_ps`: updates that may have been made between the weights a "
         "gradient was computed from and its own; `hogwild`: steps that a "
         "worker may be ahead of the slowest. `auto`: two per other worker.")
        .auto_value()
        .in_range(0, 1 << 20)
        .needs("dist.sync.mode: async_ps or hogwild", is(kAsyncPs, kHogwild));
    v.field(
         "on_stale",
         on_stale,
         "`async_ps`: workers `wait`, so that no gradient becomes too old, or "
         "one that did is left out (`drop`).")
        .needs("dist.sync.mode: async_ps", is(kAsyncPs));
    v.field(
         "servers",
         servers,
         "`async_ps`: servers among which the weights are divided, threads of "
         "the first workers.")
        .in_range(1, 1 << 10)
        .needs("dist.sync.mode: async_ps", is(kAsyncPs));
    v.field(
         "predict",
         predict,
         "`delayed_allreduce`, `async_ps`: gradients are computed at the "
         "weights that are expected when they are applied, instead of at those "
         "before the updates in between. Costs a copy of weights and optimizer "
         "state, and a second update per step.")
        .needs(
            "dist.sync.mode: delayed_allreduce, or async_ps with a "
            "max_staleness above 0",
            [this] {
              return mode == kDelayedAllreduce ||
                  (mode == kAsyncPs && max_staleness.value_or(1) > 0);
            });
  }
};

// Gradients as products of two thin matrices (docs/synchronisation.md).
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

// Seconds after which a section that makes no progress ends the run.
struct TimeoutsConfig {
  double setup = 600.0;
  double step = 600.0;
  double eval = 1800.0;
  double checkpoint = 1800.0;
  double stopped = 4.0;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("setup", setup, "Seconds from the start to the first step.")
        .more_than(0.0)
        .at_most(1e6);
    v.field("step", step, "Seconds for one training step.")
        .more_than(0.0)
        .at_most(1e6);
    v.field("eval", eval, "Seconds for one evaluation batch.")
        .more_than(0.0)
        .at_most(1e6);
    v.field("checkpoint", checkpoint, "Seconds for one checkpoint.")
        .more_than(0.0)
        .at_most(1e6);
    v.field(
         "stopped",
         stopped,
         "Seconds that a worker may be stopped (SIGSTOP, a debugger) until the "
         "run is ended.")
        .more_than(0.0)
        .at_most(1e6);
  }
};

// Exchange between the workers.
struct DistConfig {
  DistMode mode = DistMode::kProcesses;
  Backend backend = Backend::kAuto;
  SyncConfig sync;
  double bucket_mb = 25.0;
  double first_bucket_mb = 1.0;
  Compress compress = Compress::kNone;
  PowerSgdConfig powersgd;
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
        "half the bytes, and sums rounded at each device; or, with `powersgd`, "
        "as approximations of low rank, whose errors are added to the next "
        "gradient.");
    v.section("powersgd", powersgd, "Settings of compress: powersgd.")
        .needs("dist.compress: powersgd", [this] {
          return compress == Compress::kPowerSgd;
        });
    v.field(
        "zero1",
        zero1,
        "Each device keeps the optimizer's state of, and updates, only its "
        "share of the weights (ZeRO stage 1): the same bits with less memory.");
    v.field(
        "batchnorm",
        batchnorm,
        "Statistics of BatchNorm layers. `local`: of each device's own batch; "
        "running statistics are averaged before every evaluation and "
        "checkpoint. `broadcast`: the same, but before every step all take "
        "over the running statistics of rank 0 (PyTorch's broadcast_buffers). "
        "`sync`: of the batches of all devices together (SyncBatchNorm).");
    v.field(
        "check_every",
        check_every,
        "How often a checksum proves that all replicas are equal, beside every "
        "evaluation and checkpoint; null: only there.");
    v.section("timeouts", timeouts, "Limits in seconds.");
  }
};

} // namespace vitrain::config
