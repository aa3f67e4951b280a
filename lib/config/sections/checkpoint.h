#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/schema/duration.h"
#include "core/enum_names.h"
#include "options/metric.h"

namespace vitrain::config {

enum class JudgedWeights { kAuto, kRaw, kEma };
constexpr auto names_of(JudgedWeights) {
  using enum JudgedWeights;
  return enum_names<JudgedWeights>(
      {{kAuto, "auto"}, {kRaw, "raw"}, {kEma, "ema"}});
}

// Saved states of the run.
struct CheckpointConfig {
  Duration every{1.0, Duration::Unit::kEpochs};
  std::optional<Duration> keep_every;
  std::int64_t keep_last = 2;
  std::int64_t keep_best = 1;
  Metric metric = Metric::kTop1;
  JudgedWeights weights = JudgedWeights::kAuto;
  bool async = true;
  std::optional<std::string> mirror;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "every",
         every,
         "Interval: `1ep`, `500st` or `0.1dur`; or a time since the last "
         "checkpoint, by the clock of rank 0: `30min`.")
        .more_than(0.0)
        .or_time();
    v.field(
         "keep_every",
         keep_every,
         "Keep the first checkpoint of each interval of this length (`10ep`) "
         "as "
         "well; `null`: no more than keep_last and keep_best.")
        .more_than(0.0);
    v.field("keep_last", keep_last, "Newest checkpoints to keep.")
        .in_range(1, 1000000);
    v.field("keep_best", keep_best, "Best checkpoints to keep as well.")
        .in_range(0, 1000000);
    v.field("metric", metric, "What `best` means, on the evaluation set.");
    v.field(
        "weights",
        weights,
        "The weights that `metric` evaluates: the `raw` weights or their "
        "average (train.ema), `ema`; `auto`: the average if there is one.");
    v.field(
        "async",
        async,
        "Training waits only while the state is copied in memory, and a thread "
        "writes the copy; `false`: training waits until the checkpoint is "
        "complete.");
    v.field(
         "mirror",
         mirror,
         "Second folder: each complete checkpoint is copied to "
         "`<mirror>/<run>/checkpoints/`, and `-resume auto` uses the newest "
         "intact one of both. `null`: none.")
        .not_empty();
  }
};

} // namespace vitrain::config
