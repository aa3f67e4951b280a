#include "job/run/run_directory.h"

#include <string_view>

#include "config/load/writer.h"
#include "core/check.h"
#include "core/system/clock.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::job {
namespace {

// Returns the text without a final "-" followed by `count` digits (0: any
// number of digits); "" if it does not end so.
std::string_view without_digits(std::string_view text, std::size_t count) {
  const std::size_t dash = text.find_last_not_of("0123456789");
  if (dash == std::string_view::npos || text[dash] != '-') {
    return {};
  }
  const std::size_t digits = text.size() - dash - 1;
  const bool fits = count == 0 ? digits > 0 : digits == count;
  return fits ? text.substr(0, dash) : std::string_view();
}

// Returns the length of the name in "<name>-<YYYYmmdd-HHMMSS>[-<number>]";
// nullopt for any other text.
std::optional<std::size_t> name_length(std::string_view folder) {
  for (const auto text : {folder, without_digits(folder, 0)}) {
    const auto name = without_digits(without_digits(text, 6), 8);
    if (!name.empty()) {
      return name.size();
    }
  }
  return std::nullopt;
}

} // namespace

std::filesystem::path RunDirectory::trace(int rank) const {
  return path / "trace" / fmt::format("rank{}.json", rank);
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  VITRAIN_CHECK(
      !error,
      ExitCode::kStorage,
      "{}: is relative to the working directory, which cannot be found: {}; "
      "change to a folder that exists, or give an absolute path",
      printable(path.native()),
      error.message());
  return absolute;
}

void check_writable(const RunDirectory& run) {
  for (const std::filesystem::path& folder : {run.path, run.checkpoints()}) {
    std::error_code error;
    if (!std::filesystem::exists(folder, error)) {
      continue;
    }
    const std::filesystem::path probe = folder / ".write-test";
    write_file_atomically(probe, "vitrain can write here\n");
    std::filesystem::remove(probe, error);
    VITRAIN_CHECK(
        !error,
        ExitCode::kStorage,
        "{}: cannot delete: {}",
        printable(probe.native()),
        error.message());
  }
}

std::filesystem::path log_folder(
    const config::Recipe& recipe,
    const RunDirectory& run) {
  return recipe.log.folder ? absolute_path(*recipe.log.folder) : run.logs();
}

std::optional<std::filesystem::path> run_of_config(
    const std::string& config_path) {
  if (config_path.empty()) {
    return std::nullopt;
  }
  const std::filesystem::path path =
      absolute_path(config_path).lexically_normal();
  const RunDirectory run{path.parent_path()};
  std::error_code error;
  const bool is_run = path == run.config() &&
      (name_length(run.path.filename().native()) ||
       std::filesystem::exists(run.environment(), error));
  return is_run ? std::optional(run.path) : std::nullopt;
}

bool remove_unkept(
    const config::Recipe& recipe,
    const RunDirectory& run,
    int exit_code) {
  const bool records =
      recipe.log.jsonl || recipe.log.csv || recipe.log.tensorboard;
  // For other failures the workers' logs have details.
  const bool told = exit_code == static_cast<int>(ExitCode::kUsage) ||
      exit_code == static_cast<int>(ExitCode::kData) ||
      exit_code == static_cast<int>(ExitCode::kWeights);
  if (!told && (records || exit_code != 0)) {
    return false;
  }
  std::error_code error;
  std::filesystem::remove_all(run.path, error);
  return !error;
}

std::string run_name(
    const config::Recipe& recipe,
    const std::string& config_path) {
  if (recipe.run.name != "auto") {
    return recipe.run.name;
  }
  if (const auto run = run_of_config(config_path)) {
    const std::string folder = run->filename().native();
    if (const auto length = name_length(folder)) {
      return folder.substr(0, *length);
    }
  }
  const std::string stem = std::filesystem::path(config_path).stem().native();
  return stem.empty() ? recipe.model.name : stem;
}

RunDirectory create_run_directory(
    const config::Recipe& recipe,
    const std::string& name) {
  const std::filesystem::path output = absolute_path(recipe.run.output);
  make_folders(output);
  const std::string stamped = name + "-" + local_time("%Y%m%d-%H%M%S");
  constexpr int kMostAttempts = 1000;
  for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
    RunDirectory run{
        output /
        (attempt == 1 ? stamped : fmt::format("{}-{}", stamped, attempt))};
    std::error_code error;
    if (std::filesystem::create_directory(run.path, error)) {
      make_folders(log_folder(recipe, run));
      write_file_atomically(run.config(), config::to_yaml(recipe));
      return run;
    }
    VITRAIN_CHECK(
        !error,
        ExitCode::kStorage,
        "{}: cannot create the run folder: {}",
        printable(run.path.native()),
        error.message());
  }
  fail(
      ExitCode::kStorage,
      "{}: {} runs of this name started in the same second",
      printable(output.native()),
      kMostAttempts);
}

} // namespace vitrain::job
