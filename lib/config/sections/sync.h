#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/schema/duration.h"
#include "core/enum_names.h"
#include "options/compression.h"

namespace vitrain::config {

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

// Properties of a mode of synchronisation. dist/ implements the modes;
// engine/step/gradient_exchange.cpp creates them.
struct SyncTraits {
  // Workers exchange gradients during the whole run; false: they exchange or
  // share weights, and gradients at most before dist.sync.start.
  bool gradients_travel = false;
  // Replicas are equal after every step, unless dist.sync.predict is set.
  bool replicas_equal = false;
  // dist.sync.start and dist.sync.average apply.
  bool averages_from_start = false;
  bool uses_period = false; // dist.sync.period applies
  bool groups_ranks = false; // blocks of consecutive ranks average on their own
  bool one_node = false; // uses shared memory, so all workers are on one node
  // Additional copies of all parameters per worker, in the gradients' wire
  // format.
  int gradient_copies = 0;
  int weight_copies = 0; // additional fp32 copies of all parameters per worker
  // Further fp32 copies of all parameters if dist.sync.predict is set.
  int predict_copies = 0;
};

constexpr SyncTraits traits_of(SyncMode mode) {
  switch (mode) {
    case SyncMode::kAllreduce:
      return {.gradients_travel = true, .replicas_equal = true};
    // Copies: gradients of two steps; predict: weights, two moments, gradients.
    case SyncMode::kDelayedAllreduce:
      return {
          .gradients_travel = true,
          .replicas_equal = true,
          .gradient_copies = 2,
          .predict_copies = 4};
    case SyncMode::kLocalSgd: // exchanges gradients only before dist.sync.start
      return {.averages_from_start = true, .uses_period = true};
    case SyncMode::kPostLocalSgd:
      return {
          .gradients_travel = true,
          .averages_from_start = true,
          .uses_period = true,
          .groups_ranks = true};
    case SyncMode::kHierarchicalSgd:
      return {.groups_ranks = true};
    case SyncMode::kDiloco: // copies: last averaged weights, outer momentum
      return {.uses_period = true, .weight_copies = 2};
    case SyncMode::kOverlapAverage: // copies: own weights, sum in progress
      return {.uses_period = true, .weight_copies = 2};
    case SyncMode::kAsyncPs: // copies: sent and received weights
      return {
          .gradients_travel = true, .weight_copies = 2, .predict_copies = 3};
    case SyncMode::kHogwild:
      return {.one_node = true};
  }
  return {};
}

enum class SyncAverage { kParameters, kParametersAndOptimizer };
constexpr auto names_of(SyncAverage) {
  using enum SyncAverage;
  return enum_names<SyncAverage>(
      {{kParameters, "parameters"},
       {kParametersAndOptimizer, "parameters_and_optimizer"}});
}

// How replicas are synchronised (docs/synchronisation.md has the definitions).
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

  SyncTraits traits() const { return traits_of(mode); }

  template <typename Visitor>
  void visit(Visitor& v) {
    using enum SyncMode;
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
            [this] { return traits().uses_period; });
    v.field(
         "start",
         start,
         "`local_sgd`, `post_local_sgd`: until then gradients are averaged in "
         "every step.")
        .needs("dist.sync.mode: local_sgd or post_local_sgd", [this] {
          return traits().averages_from_start;
        });
    v.field(
         "average",
         average,
         "`local_sgd`, `post_local_sgd`: the averaged state: only "
         "parameters, or the optimizer's state too.")
        .needs("dist.sync.mode: local_sgd or post_local_sgd", [this] {
          return traits().averages_from_start;
        });
    v.field(
         "group_size",
         group_size,
         "`post_local_sgd`: number of consecutive ranks that average "
         "gradients in every step; `auto`: the ranks of a node.")
        .auto_value()
        .in_range(1, 1 << 20)
        .needs("dist.sync.mode", mode, kPostLocalSgd);
    v.field(
         "periods",
         periods,
         "`hierarchical_sgd`: steps between the averages of each level.")
        .each_at_least(1)
        .needs("dist.sync.mode", mode, kHierarchicalSgd);
    v.field(
         "group_sizes",
         group_sizes,
         "`hierarchical_sgd`: consecutive ranks of a group of each level; -1: "
         "all. The last level has all.")
        .one_of_or_at_least(-1, 1)
        .needs("dist.sync.mode", mode, kHierarchicalSgd);
    v.field("outer_lr", outer_lr, "`diloco`: of the outer SGD.")
        .more_than(0.0)
        .at_most(100.0)
        .needs("dist.sync.mode", mode, kDiloco);
    v.field(
         "outer_momentum",
         outer_momentum,
         "`diloco`: Nesterov momentum of the outer SGD.")
        .at_least(0.0)
        .less_than(1.0)
        .needs("dist.sync.mode", mode, kDiloco);
    v.field(
         "delay",
         delay,
         "`overlap_average`: steps until an average is taken over; less than "
         "`period`.")
        .in_range(0, 1 << 20)
        .needs("dist.sync.mode", mode, kOverlapAverage);
    v.field(
         "max_staleness",
         max_staleness,
         "`async_ps`: updates that may have been made between the weights a "
         "gradient was computed from and its own; `hogwild`: steps that a "
         "worker may be ahead of the slowest. `auto`: two per other worker.")
        .auto_value()
        .in_range(0, 1 << 20)
        .needs("dist.sync.mode", mode, kAsyncPs, kHogwild);
    v.field(
         "on_stale",
         on_stale,
         "`async_ps`: workers `wait`, so that no gradient becomes too old, "
         "or gradients that are too old are dropped (`drop`).")
        .needs("dist.sync.mode", mode, kAsyncPs);
    v.field(
         "servers",
         servers,
         "`async_ps`: servers among which the weights are divided, threads of "
         "the first workers.")
        .in_range(1, 1 << 10)
        .needs("dist.sync.mode", mode, kAsyncPs);
    v.field(
         "predict",
         predict,
         "`delayed_allreduce`, `async_ps`: gradients are computed at the "
         "weights that are expected when they are applied, instead of at those "
         "before the updates in between. Costs a copy of weights and optimizer "
         "state (`delayed_allreduce`: on each worker, of gradients too; "
         "`async_ps`: on the servers), and a second update per step "
         "(`async_ps`: per late gradient).")
        .needs(
            "dist.sync.mode: delayed_allreduce, or async_ps with a "
            "max_staleness above 0",
            [this] {
              return mode == kDelayedAllreduce ||
                  (mode == kAsyncPs && max_staleness.value_or(1) > 0);
            });
  }
};

} // namespace vitrain::config
