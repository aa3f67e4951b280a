#include "report/terminal/show.h"

#include <cstdio>
#include <string>

#include "logging/console.h"
#include "report/runs/run_record.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {

int show(const config::Arguments& arguments) {
  const logging::Console console({.log_fd = -1, .terminal_fd = 1});
  const char* above = "";
  for (const std::string& path : arguments.data.files) {
    const report::Run run = report::open_run(report::run_folder(path));
    // Not print(), which drops text that cannot be written.
    std::fputs(above, stdout);
    std::fputs(report::show(run, console.style()).c_str(), stdout);
    above = "\n";
  }
  return 0;
}

} // namespace vitrain::verbs
