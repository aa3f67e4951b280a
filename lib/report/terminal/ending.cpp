#include "report/terminal/ending.h"

#include <unistd.h>

#include <exception>

#include "logging/console.h"
#include "report/runs/commands.h"

namespace vitrain::report {

logging::BannerSection ending_section(const Run& run) {
  logging::BannerSection section;
  for (const Command& command : commands_here(run)) {
    section.push_back(
        {.label = command.label, .text = command.line, .command = true});
  }
  std::error_code error;
  if (const auto page = report_file(run.folder);
      std::filesystem::exists(page, error)) {
    section.push_back(
        {.label = "page", .text = path_here(page), .command = true});
  }
  return section;
}

std::string ending_of(const std::filesystem::path& folder) noexcept {
  try {
    if (!is_run(folder)) {
      return "";
    }
    const logging::Console console(
        {.log_fd = -1, .terminal_fd = STDERR_FILENO});
    return logging::sections_text(
        {ending_section(open_run(folder))}, console.style());
  } catch (const std::exception&) {
    return ""; // the reason for the end matters more
  }
}

} // namespace vitrain::report
