#include <cstdio>

#include "config/writer.h"
#include "engine/launch_job.h"
#include "verbs.h"

namespace vitrain::app {

int train(const config::Arguments& arguments, const std::string& command_line) {
  if (arguments.print_config) {
    const config::Loaded loaded = config::load(arguments.load_request());
    for (const std::string& note : loaded.notes) {
      std::fprintf(stderr, "%s\n", note.c_str());
    }
    std::fputs(config::to_yaml(loaded.recipe).c_str(), stdout);
    return 0;
  }
  engine::PreparedJob prepared =
      engine::prepare(arguments, command_line, VITRAIN_VERSION);
  if (arguments.dry_run) {
    for (const std::string& note : prepared.notes) {
      std::printf("%s\n", note.c_str());
    }
    std::fputs(engine::dry_run(prepared).c_str(), stdout);
    return 0;
  }
  return engine::launch(prepared);
}

} // namespace vitrain::app
