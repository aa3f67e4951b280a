#include <cstdio>

#include "config/load.h"
#include "config/plan.h"
#include "engine/data_options.h"
#include "engine/launch_job.h"
#include "launch/devices.h"
#include "verbs.h"

namespace vitrain::app {

int data_order(const config::Arguments& arguments) {
  const config::Recipe recipe = config::load(arguments.load_request()).recipe;
  const data::Index index =
      data::list(engine::source_options(recipe.data.train, /*train=*/true));
  const std::int64_t workers = launch::requested_workers(
      engine::device_request(recipe.devices), launch::visible_cuda_devices());
  const config::Plan plan =
      config::make_plan(recipe, workers, index.size(), /*eval_samples=*/1);
  const data::BatchGeometry geometry{
      .per_device = plan.device_batch,
      .world = static_cast<int>(workers),
      .accumulate = static_cast<int>(plan.accumulate)};
  const data::Sampler sampler(
      index.size(), engine::sampler_options(recipe), geometry);
  for (std::int64_t step = 0; step < sampler.steps_per_epoch(); ++step) {
    for (std::int64_t k = 0; k < geometry.micro_batches(); ++k) {
      const char* separator = "";
      for (const std::int64_t sample :
           sampler.micro_batch(arguments.epoch, step, k)) {
        std::printf("%s%lld", separator, static_cast<long long>(sample));
        separator = " ";
      }
      std::printf("\n");
    }
  }
  return 0;
}

} // namespace vitrain::app
