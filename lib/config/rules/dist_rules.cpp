#include "config/rules/dist_rules.h"

#include <algorithm>
#include <functional>

#include <fmt/ranges.h>

#include "core/enum_names.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

class DistRules {
 public:
  DistRules(const Recipe& recipe, const CheckContext& context)
      : recipe_(recipe), context_(context) {}

  std::vector<Finding> run() {
    check_sync();
    return checker_.take();
  }

 private:
  // Adds a finding unless `good`. `others`: keys that the rule reads in
  // addition to the modes.
  void require(
      bool good,
      const std::string& key,
      std::string text,
      std::vector<std::string> others = {}) {
    others.insert(others.end(), {"dist.mode", "dist.sync.mode"});
    checker_.require(good, key, std::move(text), std::move(others));
  }

  void check_single_process() {
    const DistConfig& dist = recipe_.dist;
    require(
        recipe_.devices.nodes == 1,
        "dist.mode",
        "one process trains on the devices of one machine, and devices.nodes "
        "is more: use processes",
        {"devices.nodes"});
    require(
        dist.sync.mode == SyncMode::kAllreduce,
        "dist.sync.mode",
        "the one process of dist.mode: single_process has nobody to exchange "
        "with; its gradients are always those of the whole batch: use "
        "allreduce, or dist.mode: processes");
    require(
        dist.compress == Compress::kNone,
        "dist.compress",
        "nothing travels between processes in dist.mode: single_process: set "
        "it to none");
    require(
        recipe_.train.recompute == "none",
        "train.recompute",
        "the threads of dist.mode: single_process keep what backward needs: "
        "use none, or dist.mode: processes");
    require(
        dist.batchnorm == BatchNormStatistics::kLocal,
        "dist.batchnorm",
        "in dist.mode: single_process each replica has its own statistics, and "
        "those of the first are kept: use local, or dist.mode: processes");
    require(
        !dist.zero1,
        "dist.zero1",
        "divides the optimizer's state among processes, and dist.mode: "
        "single_process has one: use dist.mode: processes");
  }

  void check_sync() {
    checker_.add(check_fp16_steps(recipe_));
    if (recipe_.run.elastic()) {
      checker_.add(check_elastic(recipe_, context_));
    }
    if (recipe_.dist.mode == DistMode::kSingleProcess) {
      check_single_process();
      return;
    }
    const SyncConfig& sync = recipe_.dist.sync;
    const std::int64_t workers = context_.workers;
    require(
        sync.mode != SyncMode::kOverlapAverage || sync.delay < sync.period,
        "dist.sync.delay",
        fmt::format(
            "{} must be less than dist.sync.period: {}",
            sync.delay,
            sync.period),
        {"dist.sync.period"});
    const SyncTraits traits = sync.traits();
    require(
        recipe_.dist.compress == Compress::kNone || traits.gradients_travel ||
            (traits.averages_from_start && sync.start.value > 0.0),
        "dist.compress",
        "is for gradients, and in this dist.sync.mode only weights travel: set "
        "it to none",
        {"dist.sync.start"});
    check_exchange();
    checker_.add(check_skipped_steps(recipe_));
    if (sync.mode == SyncMode::kAsyncPs) {
      check_async_ps(sync, workers);
    }
    if (traits.one_node) {
      check_shared_memory();
    }
    if (sync.mode == SyncMode::kPostLocalSgd && sync.group_size) {
      check_group("dist.sync.group_size", *sync.group_size, workers);
    }
    if (sync.mode == SyncMode::kHierarchicalSgd) {
      check_levels(sync, workers);
    }
  }

  void check_async_ps(const SyncConfig& sync, std::int64_t workers) {
    require(
        workers == kWorkersUnknown || sync.servers <= workers,
        "dist.sync.servers",
        fmt::format(
            "{}: each is a thread of a worker of its own, and there {} {}",
            sync.servers,
            workers == 1 ? "is" : "are",
            workers),
        {"devices"});
    require(
        recipe_.dist.compress == Compress::kNone,
        "dist.compress",
        "rounds sums of gradients, and async_ps adds none up: set it to none");
  }

  void check_shared_memory() {
    require(
        recipe_.devices.nodes == 1,
        "dist.sync.mode",
        "hogwild shares the weights in one machine's memory, and devices.nodes "
        "is more: use async_ps",
        {"devices.nodes"});
    require(
        !context_.cuda,
        "dist.sync.mode",
        "hogwild shares the weights in this machine's memory, which CUDA "
        "devices do not update: use -devices cpu:N, or async_ps",
        {"devices"});
  }

  // Checks options that need equal replicas after every step.
  void check_exchange() {
    const DistConfig& dist = recipe_.dist;
    const SyncTraits traits = dist.sync.traits();
    const bool predicts = traits.predict_copies > 0 && dist.sync.predict;
    const bool equal = traits.replicas_equal && !predicts;
    const auto needs_equal = [&](bool wanted,
                                 const char* key,
                                 const char* why) {
      require(
          !wanted || equal,
          key,
          fmt::format(
              "{}, and with {} they differ between its exchanges: use "
              "allreduce, or delayed_allreduce without dist.sync.predict",
              why,
              traits.replicas_equal
                  ? "dist.sync.predict"
                  : fmt::format("dist.sync.mode: {}", name_of(dist.sync.mode))),
          {"dist.sync.predict"});
    };
    needs_equal(
        dist.zero1,
        "dist.zero1",
        "each device updates its share of weights that all have");
    needs_equal(
        dist.batchnorm == BatchNormStatistics::kSync,
        "dist.batchnorm",
        "sync takes statistics over the batches of all devices, which mean "
        "something only for equal weights");
    needs_equal(
        broadcasts(dist.batchnorm),
        "dist.batchnorm",
        "broadcast and broadcast_average give all devices the running "
        "statistics of rank 0, which belong to its weights");
    needs_equal(
        dist.check_every.has_value(),
        "dist.check_every",
        "it checks after a step that all have equal weights");
    require(
        dist.compress != Compress::kPowerSgd ||
            dist.sync.mode == SyncMode::kAllreduce,
        "dist.compress",
        fmt::format(
            "powersgd exchanges gradients in two rounds while a step waits for "
            "them: it needs dist.sync.mode: allreduce, got {}",
            name_of(dist.sync.mode)));
    needs_equal(
        recipe_.train.prune.active(),
        "train.prune.amount",
        "each device chooses for itself which weights become zero, and all "
        "must "
        "choose the same");
    check_top_k();
  }

  void check_top_k() {
    const DistConfig& dist = recipe_.dist;
    if (dist.compress != Compress::kTopK) {
      return;
    }
    require(
        dist.sync.mode == SyncMode::kAllreduce,
        "dist.compress",
        fmt::format(
            "topk sends what gradients have added up to, for the update of the "
            "same step: it needs dist.sync.mode: allreduce, got {}",
            name_of(dist.sync.mode)));
    if (!dist.topk.momentum_correction) {
      return;
    }
    const OptimConfig& optim = recipe_.optim;
    const char* key = "dist.topk.momentum_correction";
    require(
        optim.name == OptimKind::kSgd && optim.numbers().momentum > 0.0,
        key,
        "makes the momentum of sgd at each device, and needs optim.name: sgd "
        "with optim.momentum above 0: set it to false",
        {"optim.name", "optim.momentum"});
    require(
        !optim.clip_norm && !optim.clip_value && !optim.clip_agc,
        key,
        "leaves no gradients that could be clipped, but the sum of velocities: "
        "set it to false, or do not clip",
        {"optim.clip_norm", "optim.clip_value", "optim.clip_agc"});
  }

  void
  check_group(const std::string& key, std::int64_t size, std::int64_t workers) {
    std::vector<std::string> divisors;
    for (std::int64_t d = 1; d <= workers; ++d) {
      if (workers % d == 0) {
        divisors.push_back(std::to_string(d));
      }
    }
    require(
        workers % size == 0,
        key,
        fmt::format(
            "groups of {} do not divide {}: expected one of {}",
            size,
            counted(workers, "worker"),
            join(divisors, ", ")),
        {"devices"});
  }

  void check_levels(const SyncConfig& sync, std::int64_t workers) {
    const std::vector<std::int64_t>& sizes = sync.group_sizes;
    if (sync.periods.empty() || sync.periods.size() != sizes.size()) {
      require(
          false,
          "dist.sync.group_sizes",
          fmt::format(
              "has {} levels, but dist.sync.periods has {}: each level needs "
              "both",
              sizes.size(),
              sync.periods.size()),
          {"dist.sync.periods"});
      return;
    }
    check_rise("dist.sync.periods", sync.periods);
    // A single worker accepts any levels, and default levels adapt to the
    // number of workers.
    if (workers == 1 || sizes == SyncConfig{}.group_sizes) {
      return;
    }
    const bool known = workers != kWorkersUnknown;
    std::vector<std::int64_t> counts;
    for (const std::int64_t size : sizes) {
      if (size != -1 || known) {
        counts.push_back(size == -1 ? workers : size);
      }
    }
    // Checks the sizes further only if they increase, to report one problem per
    // mistake.
    if (!check_rise("dist.sync.group_sizes", counts)) {
      return;
    }
    if (known) {
      require(
          counts.back() == workers,
          "dist.sync.group_sizes",
          fmt::format(
              "the last level is {}: it must be all {}, -1",
              counts.back(),
              counted(workers, "worker")),
          {"devices"});
      counts.pop_back();
    }
    for (const std::int64_t size : counts) {
      check_group("dist.sync.group_sizes", size, workers);
    }
  }

  // Reports levels of hierarchical_sgd that do not increase. Returns true if
  // they do.
  bool check_rise(
      const std::string& key,
      const std::vector<std::int64_t>& levels) {
    const auto at = std::ranges::adjacent_find(levels, std::greater_equal());
    if (at == levels.end()) {
      return true;
    }
    require(
        false,
        key,
        fmt::format(
            "[{}]: each level must have more than the one before, and {} comes "
            "after {}",
            fmt::join(levels, ", "),
            at[1],
            at[0]));
    return false;
  }

  const Recipe& recipe_;
  const CheckContext& context_;
  Checker checker_;
};

} // namespace

bool shares_may_differ(const Recipe& recipe) {
  return recipe.dist.mode == DistMode::kSingleProcess &&
      recipe.train.accumulate == 1;
}

std::vector<SyncLevel> sync_levels(
    const SyncConfig& sync,
    std::int64_t workers) {
  const bool chosen = sync.group_sizes != SyncConfig{}.group_sizes;
  std::vector<SyncLevel> levels;
  for (std::size_t i = 0; i < sync.periods.size(); ++i) {
    const std::int64_t size = sync.group_sizes.at(i) == -1
        ? workers
        : std::min(sync.group_sizes[i], workers);
    if (chosen || workers % size == 0) {
      levels.push_back({.period = sync.periods[i], .size = size});
    }
    if (!chosen && size == workers) {
      break; // this level contains all workers
    }
  }
  return levels;
}

std::vector<Finding> check_dist(
    const Recipe& recipe,
    const CheckContext& context) {
  return DistRules(recipe, context).run();
}

} // namespace vitrain::config
