#include <cstdio>

#include "config/rules/plan.h"
#include "core/check.h"
#include "core/text.h"
#include "job/data_options.h"
#include "job/list_data.h"
#include "job/recipe_check.h"
#include "job/resolve_devices.h"
#include "launch/devices/cores.h"
#include "launch/devices/devices.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

void print_batch(const std::vector<data::Draw>& draws) {
  const char* separator = "";
  for (const data::Draw& draw : draws) {
    std::printf("%s%lld", separator, static_cast<long long>(draw.sample));
    separator = " ";
  }
  std::printf("\n");
}

} // namespace

std::int64_t training_devices(
    const config::Arguments& arguments,
    const config::Recipe& recipe) {
  // Assumes that all machines are like this one.
  return arguments.data.world.value_or(
      recipe.devices.nodes *
      launch::requested_workers(
          job::device_request(recipe.devices),
          launch::visible_cuda_devices(),
          launch::available_cores()));
}

int data_order(const config::Arguments& arguments) {
  const config::Recipe recipe =
      job::load_recipe(arguments.load_request()).recipe;
  const std::int64_t devices = training_devices(arguments, recipe);
  const config::BatchPlan batch = config::plan_batch(recipe, devices);
  const std::int64_t workers = batch.workers;
  VITRAIN_CHECK(
      arguments.data.rank.value_or(0) < workers,
      ExitCode::kUsage,
      "-rank is {}, but of {} the last one is {}",
      arguments.data.rank.value_or(0),
      counted(workers, "worker"),
      workers - 1);
  const data::Index index = job::list_training_data(recipe);
  const auto samplers = job::make_samplers(recipe, &index, devices);
  const data::Sampler& sampler = samplers->of_epoch(arguments.data.epoch);
  const std::int64_t accumulate = batch.accumulate;
  for (std::int64_t step = 0; step < sampler.steps_per_epoch(); ++step) {
    for (std::int64_t k = 0; k < workers * accumulate; ++k) {
      if (arguments.data.rank && k / accumulate != *arguments.data.rank) {
        continue;
      }
      // Print a line for an empty batch too, because the line's number
      // determines step and worker.
      print_batch(sampler.micro_batch(arguments.data.epoch, step, k));
    }
  }
  return 0;
}

} // namespace vitrain::verbs
