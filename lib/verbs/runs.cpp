#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/system/terminal.h"
#include "core/text.h"
#include "logging/console.h"
#include "report/terminal/listing.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {

int runs(const config::Arguments& arguments) {
  const bool is_default = arguments.data.files.empty();
  const std::string folder = is_default ? "runs" : arguments.data.files.front();
  std::error_code error;
  std::vector<report::ListedRun> list;
  if (!is_default || std::filesystem::exists(folder, error)) {
    list = report::list_runs(folder, arguments.runs.order);
  }
  const logging::Console console({.log_fd = -1, .terminal_fd = 1});
  if (arguments.runs.json) {
    std::printf(
        "%s\n",
        report::runs_json(list)
            .dump(2, ' ', false, Json::error_handler_t::replace)
            .c_str());
  } else if (list.empty()) {
    std::printf(
        "no runs in %s%s\n",
        printable(folder).c_str(),
        is_default ? ", where training puts them without -output; of another "
                     "folder: vitrain runs FOLDER"
                   : "");
  } else {
    // Not print(), which drops text that cannot be written.
    std::fputs(
        report::runs_table(
            list, console.style(), terminal_columns(STDOUT_FILENO) > 0)
            .c_str(),
        stdout);
  }
  return 0;
}

} // namespace vitrain::verbs
