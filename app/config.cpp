#include <cstdio>

#include "config/load.h"
#include "config/reference.h"
#include "config/validate.h"
#include "config/writer.h"
#include "engine/launch_job.h"
#include "launch/cores.h"
#include "launch/devices.h"
#include "verbs.h"

namespace vitrain::app {
namespace {

// As training on this machine would check it, without looking at data.
void check(const config::Loaded& loaded) {
  const launch::VisibleDevices visible = launch::visible_cuda_devices();
  const launch::DeviceRequest request =
      engine::device_request(loaded.recipe.devices);
  config::validate(
      loaded.recipe,
      // Machines are taken to be like this one.
      {.workers = loaded.recipe.devices.nodes *
           launch::requested_workers(
                      request, visible, launch::available_cores()),
       .cuda = launch::wants_cuda(request, visible)},
      loaded.origins)
      .throw_if_any();
}

} // namespace

int config_verb(const config::Arguments& arguments) {
  if (arguments.verb == config::Verb::kConfigReference) {
    std::fputs(config::reference().c_str(), stdout);
    return 0;
  }
  const config::Loaded loaded = config::load(arguments.load_request());
  for (const std::string& note : loaded.notes) {
    std::fprintf(stderr, "%s\n", note.c_str());
  }
  if (arguments.verb == config::Verb::kConfigShow) {
    const std::string text = arguments.origin
        ? config::to_yaml(loaded.recipe, loaded.origins)
        : config::to_yaml(loaded.recipe);
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  check(loaded);
  std::printf(
      "%s: no problems found (recipe %s)\n",
      arguments.cfg.value_or("defaults").c_str(),
      config::recipe_hash(loaded.recipe).c_str());
  return 0;
}

} // namespace vitrain::app
