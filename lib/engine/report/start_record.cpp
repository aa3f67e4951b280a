// Implements start_record() of describe.h.

#include "config/load/writer.h"
#include "core/enum_names.h"
#include "engine/report/describe.h"
#include "engine/step/parameter_groups.h"

namespace vitrain::engine {
namespace {

Json epochs_record(const config::Timeline& timeline) {
  Json record = Json::array();
  for (const config::EpochSteps& stretch : timeline.stretches()) {
    record.push_back(
        {{"from_epoch", stretch.first_epoch + 1}, {"steps", stretch.steps}});
  }
  return record;
}

} // namespace

Json start_record(const RunFacts& facts) {
  Json record{
      {"kind", "start"},
      {"version", facts.job.version},
      {"mode", facts.train != nullptr ? "train" : "eval"},
      {"command", facts.job.command_line},
      {"config_hash", config::recipe_hash(facts.job.recipe)},
      {"model", facts.spec.name},
      {"parameters", facts.parameters},
      {"workers", facts.workers},
      {"devices", facts.job.device_text},
      {"precision", name_of(facts.precision.precision)},
      {"eval_precision", name_of(facts.eval_precision.precision)},
      {"eval_samples", facts.eval->size()},
      {"classes", std::ssize(facts.eval->classes())}};
  if (!facts.eval->subset().empty()) {
    record["subset"] = std::ssize(facts.eval->subset());
  }
  if (facts.job.recipe.data.split) {
    record["held_out"] = facts.eval->size();
  }
  if (facts.train != nullptr) {
    record["train_samples"] = facts.train->size();
    record["global_batch"] = facts.plan.global_batch;
    record["steps_per_epoch"] = facts.plan.steps_per_epoch;
    if (!facts.plan.timeline.even()) {
      record["epochs_of_steps"] = epochs_record(facts.plan.timeline);
    }
    record["total_steps"] = facts.plan.total_steps;
    record["lr"] = facts.plan.lr;
    record["groups"] =
        groups_record(summarize_groups(facts.job.recipe, facts.spec));
  }
  return record;
}

} // namespace vitrain::engine
