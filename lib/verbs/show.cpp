#include "report/terminal/show.h"

#include <fmt/format.h>

#include "logging/terminal/console.h"
#include "report/runs/run_record.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {

int show(const config::Arguments& arguments) {
  logging::Console console({.log_fd = -1, .terminal_fd = 1});
  bool first = true;
  for (const std::string& path : arguments.data.files) {
    const report::Run run = report::open_run(report::run_folder(path));
    console.print([&](const logging::TerminalStyle& style) {
      return fmt::format("{}{}", first ? "" : "\n", report::show(run, style));
    });
    first = false;
  }
  return 0;
}

} // namespace vitrain::verbs
