#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/check.h"
#include "core/files/files.h"
#include "core/text/text.h"
#include "data/tools/check_report.h"
#include "data/tools/check_samples.h"
#include "job/options/data_options.h"
#include "job/prepare/recipe_check.h"
#include "logging/terminal/console.h"
#include "logging/terminal/progress.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

// Hours of reading should not end with a report that cannot be written: does
// beforehand what write_file_atomically() will do.
void check_writable(const std::filesystem::path& path) {
  std::string probe = path.native() + ".XXXXXX";
  const Fd file(::mkstemp(probe.data()));
  const int error = file ? 0 : errno;
  if (file) {
    ::unlink(probe.c_str());
  }
  std::error_code ignored;
  VITRAIN_CHECK(
      error == 0 && !std::filesystem::is_directory(path, ignored),
      ExitCode::kStorage,
      "{}: cannot be written: {}",
      printable(path.native()),
      error == 0 ? "it is a folder" : error_text(error));
}

} // namespace

int data_check(const config::Arguments& arguments) {
  const config::Recipe recipe =
      job::load_recipe(arguments.load_request()).recipe;
  if (arguments.data.out) {
    check_writable(*arguments.data.out);
  }
  std::vector<std::pair<std::string, std::shared_ptr<const data::Index>>>
      splits;
  const auto list = [&](const char* name, const auto& source, bool train) {
    splits.emplace_back(
        name,
        std::make_shared<const data::Index>(
            data::list(job::source_options(source, train))));
  };
  list("train", recipe.data.train, /*train=*/true);
  if (!recipe.data.split) { // else a part of the training data
    list("eval", recipe.data.eval, /*train=*/false);
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
         .progress = [&](std::int64_t done, std::int64_t all) {
           progress.update(done, all);
         }});
  }
  constexpr std::size_t kExamples = 10;
  std::fputs(data::to_text(report, kExamples).c_str(), stdout);
  if (arguments.data.out) {
    write_file_atomically(
        *arguments.data.out, data::to_json(report).dump(2) + "\n");
  }
  data::check_same_classes(*splits.front().second, *splits.back().second);
  return static_cast<int>(report.clean() ? ExitCode::kDone : ExitCode::kData);
}

} // namespace vitrain::verbs
