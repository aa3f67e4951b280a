#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/system/print_lines.h"
#include "core/text.h"
#include "report/page/write_report.h"
#include "report/runs/run_record.h"
#include "results/output_file.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

// Returns the runs at these paths, each once; a folder of runs stands for all
// of its runs.
std::vector<std::filesystem::path> named_runs(
    const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> folders;
  const auto add = [&](const std::filesystem::path& folder) {
    if (std::ranges::find(folders, folder) == folders.end()) {
      folders.push_back(folder);
    }
  };
  for (const std::string& path : paths) {
    std::error_code error;
    const bool lists =
        std::filesystem::is_directory(path, error) && !report::is_run(path);
    const auto inside =
        lists ? report::runs_in(path) : std::vector<std::filesystem::path>();
    for (const std::filesystem::path& run : inside) {
      add(report::run_folder(run));
    }
    if (inside.empty()) {
      add(report::run_folder(path));
    }
  }
  return folders;
}

} // namespace

int report(const config::Arguments& arguments) {
  std::vector<report::Run> runs;
  for (const std::filesystem::path& folder : named_runs(arguments.data.files)) {
    runs.push_back(report::open_run(folder));
    for (const std::string& problem : runs.back().problems) {
      print_message(stderr, "warning: " + problem);
    }
  }
  const std::filesystem::path file = arguments.runs.output
      ? std::filesystem::path(*arguments.runs.output)
      : runs.size() == 1 ? report::report_file(runs.front().folder)
                         : std::filesystem::path("report.html");
  results::OutputFile page(file);
  page.write(report::report_page(runs));
  page.finish();
  std::printf("%s\n", printable(file.native()).c_str());
  return 0;
}

} // namespace vitrain::verbs
