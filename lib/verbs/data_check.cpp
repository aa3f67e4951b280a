#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/check.h"
#include "core/text.h"
#include "data/check_report.h"
#include "data/check_samples.h"
#include "data/kinds/datasets.h"
#include "job/data_options.h"
#include "job/recipe_check.h"
#include "logging/console.h"
#include "logging/progress.h"
#include "models/resolve.h"
#include "results/output_file.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

// Throws if the report would replace a file of the datasets, or a file that is
// not a report.
void check_report_place(
    const std::filesystem::path& out,
    const config::DataConfig& data) {
  const auto replaced = results::replaced_file(out);
  if (!replaced) {
    return;
  }
  std::error_code error;
  for (const config::SourceConfig* source : {&data.train, &data.eval}) {
    for (const auto& file : {source->path, source->class_map}) {
      VITRAIN_CHECK(
          !file || !std::filesystem::equivalent(*file, *replaced, error),
          ExitCode::kUsage,
          "-out {}: the data are read from it, and it would be replaced; give "
          "another name",
          printable(out.native()));
    }
  }
  results::check_replaceable(
      "-out", out, "a report of data check", [](std::string_view start) {
        return start.starts_with("{\n  \"clean\": ");
      });
}

} // namespace

int data_check(const config::Arguments& arguments) {
  const config::Recipe recipe =
      job::load_recipe(arguments.load_request()).recipe;
  // Open the file first: hours of reading should not end with an unwritable
  // report.
  std::optional<results::OutputFile> out;
  if (arguments.data.out) {
    check_report_place(*arguments.data.out, recipe.data);
    out.emplace(*arguments.data.out);
  }
  std::vector<std::pair<std::string, std::shared_ptr<const data::Index>>>
      splits;
  const auto list = [&](const char* name, const data::SourceOptions& source) {
    splits.emplace_back(
        name, std::make_shared<const data::Index>(data::list(source)));
  };
  list("train", job::source_options(recipe.data.train, /*train=*/true));
  if (!recipe.data.split) { // else data.eval is a part of data.train
    list(
        "eval",
        job::evaluation_options(recipe.data.eval, *splits.front().second));
  }
  logging::Console console({.log_fd = -1, .terminal_fd = STDERR_FILENO});
  data::CheckReport report;
  {
    logging::WorkProgress progress(console, "reading");
    report = data::check(
        splits,
        {.threads = static_cast<int>(recipe.data.threads.value_or(
             std::max(1U, std::thread::hardware_concurrency()))),
         .decode = job::decode_options(recipe.data),
         .channels = static_cast<int>(models::channels_of(recipe.model)),
         .progress = [&](std::int64_t done, std::int64_t all) {
           progress.update(done, all);
         }});
  }
  constexpr std::size_t kExamples = 10;
  std::fputs(data::to_text(report, kExamples).c_str(), stdout);
  std::fflush(stdout); // the report may also be written to standard output
  if (out) {
    out->write(data::to_json(report).dump(2) + "\n");
    out->finish();
  }
  data::check_same_classes(*splits.front().second, *splits.back().second);
  return static_cast<int>(report.clean() ? ExitCode::kDone : ExitCode::kData);
}

} // namespace vitrain::verbs
