#include "report/page/write_report.h"

#include <exception>

#include "core/system/files.h"
#include "report/page/page.h"

namespace vitrain::report {

std::string report_page(std::span<const Run> runs) {
  const PageOptions options = page_options();
  return runs.size() == 1 ? run_page(runs.front(), options)
                          : comparison_page(runs, options);
}

void write_report(
    std::span<const Run> runs,
    const std::filesystem::path& file) {
  write_file_atomically(file, report_page(runs));
}

void close_report(const job::RunDirectory& folder) noexcept {
  try {
    if (std::filesystem::exists(report_file(folder))) {
      const Run run = open_run(folder.path);
      write_report({&run, 1}, report_file(folder));
    }
  } catch (const std::exception&) {
    return; // `vitrain report` reports the error
  }
}

} // namespace vitrain::report
