#include "job/run/mirror.h"

#include <filesystem>

#include <fmt/format.h>

#include "checkpoint/find.h"
#include "checkpoint/place.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"

namespace vitrain::job {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestConfig = std::size_t{16} << 20; // bytes

// Returns the step of a checkpoint; -1 if there is none.
std::int64_t step_of(const std::optional<fs::path>& checkpoint) {
  return checkpoint ? checkpoint::read_manifest(*checkpoint).step : -1;
}

} // namespace

std::optional<RunDirectory> mirror_of(
    const config::Recipe& recipe,
    const RunDirectory& run) {
  if (!recipe.checkpoint.mirror) {
    return std::nullopt;
  }
  // NAME, or NAME/replaced-N.
  fs::path name = run.path.lexically_relative(absolute_path(recipe.run.output));
  if (name.empty() || *name.begin() == "..") {
    name = run.path.filename();
  }
  return RunDirectory{absolute_path(*recipe.checkpoint.mirror) / name};
}

void copy_config(const RunDirectory& from, const RunDirectory& to) {
  const auto text = [](const fs::path& path) {
    return read_file(path, kLargestConfig, ExitCode::kStorage);
  };
  const std::string config = text(from.config());
  std::error_code error;
  if (!fs::exists(to.config(), error) || text(to.config()) != config) {
    make_folders(to.path);
    write_file_atomically(to.config(), config);
  }
}

std::string restore_newest(
    const config::Recipe& recipe,
    const RunDirectory& run) {
  const auto mirror = mirror_of(recipe, run);
  const auto copied =
      mirror ? checkpoint::newest_valid(mirror->checkpoints()) : std::nullopt;
  if (!copied ||
      step_of(copied) <= step_of(checkpoint::newest_valid(run.checkpoints()))) {
    return "";
  }
  checkpoint::copy(*copied, run.checkpoints());
  return fmt::format(
      "checkpoint.mirror: {} is newer than the intact checkpoints of {} and is "
      "copied there",
      printable(copied->native()),
      printable(run.path.native()));
}

} // namespace vitrain::job
