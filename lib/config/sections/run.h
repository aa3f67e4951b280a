#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/schema/duration.h"
#include "core/enum_names.h"

namespace vitrain::config {

// Which runs end with the same weights, bit for bit (run.determinism). kFast:
// those with the same workers, threads and processors, which is not checked;
// kBitwise: the same ones, and a resume with others is refused; kElastic: those
// with any number of workers that divides run.shards.
enum class Determinism { kFast, kBitwise, kElastic };
constexpr auto names_of(Determinism) {
  using enum Determinism;
  return enum_names<Determinism>(
      {{kFast, "fast"}, {kBitwise, "bitwise"}, {kElastic, "elastic"}});
}

// Name, output folder, length and repeatability of a run.
struct RunConfig {
  std::string name = "auto";
  std::string output = "runs";
  std::int64_t seed = 0;
  std::int64_t epochs = 100;
  std::optional<std::int64_t> max_steps;
  std::optional<Duration> stop_after;
  std::optional<Duration> max_time;
  std::optional<std::int64_t> patience;
  std::int64_t max_restarts = 0;
  Determinism determinism = Determinism::kFast;
  std::int64_t shards = 8;

  bool elastic() const { return determinism == Determinism::kElastic; }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "name",
         name,
         "Name of the run folder; `auto` is the config file's name. "
         "Letters, digits, `.`, `_` and `-`.")
        .file_name();
    v.field("output", output, "Folder in which the run folder is made.")
        .not_empty();
    v.field(
         "seed",
         seed,
         "Seed of the weights, the sample order, augmentation and drop path.")
        .at_least(0);
    v.field("epochs", epochs, "Passes over the training set.")
        .in_range(1, 1000000);
    v.field(
         "max_steps",
         max_steps,
         "Stop after this many optimizer steps, whatever `epochs` says; "
         "schedules span the shorter of the two.")
        .in_range(1, 1000000000000);
    v.field(
         "stop_after",
         stop_after,
         "After this length, as `2ep` or `500st`, training saves a "
         "checkpoint and stops as on request (exit 75); each resume trains "
         "for this length again. For queues with short jobs; schedules span "
         "the whole run. `null`: never.")
        .more_than(0.0);
    v.field(
         "max_time",
         max_time,
         "This time after its start (`3h50m`), vitrain saves a checkpoint and "
         "stops as on request (exit 75); each resume has this time again. "
         "Leave "
         "time for the last step and checkpoint. `null`: no limit.")
        .more_than(0.0)
        .only_time();
    v.field(
         "patience",
         patience,
         "Stop after this number of consecutive evaluations without a new "
         "best checkpoint.metric; `null`: never.")
        .in_range(1, 1000000);
    v.field(
         "max_restarts",
         max_restarts,
         "How often training starts again from its last checkpoint after the "
         "death of a worker (exit code 7), with pauses of 1, 2, 4, ... at most "
         "60 s. Mistakes in the recipe or the data end the run at once.")
        .in_range(0, 1000000);
    v.field(
        "determinism",
        determinism,
        "Which runs end with the same weights, bit for bit. `fast`: runs with "
        "the same workers, threads and processors; not checked. `bitwise`: "
        "the same, and a resume with other workers, threads or kernels is "
        "refused. `elastic`: runs with any number of workers that divides "
        "`shards`, also if it changes at a resume; each worker computes with "
        "one thread.");
    v.field(
         "shards",
         shards,
         "For `determinism: elastic`: parts of each batch, whose gradients are "
         "computed one by one and added in a fixed order. A power of 2; "
         "data.batch_size counts samples of a shard, as of a device otherwise.")
        .in_range(1, 4096);
  }
};

} // namespace vitrain::config
